import type { WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { McpDefinition, McpOrigin, McpSettings } from '../../shared/tools/mcp.ts'
import { inputNames } from '../../shared/tools/mcpInputs.ts'
import type { TrustAnswer, TrustStore, TrustSubject } from '../settings/trustStore.ts'
import { credentialsId, readCredentials } from './oauth/credentials.ts'
import type { Connection } from './serverConnection.ts'
import { readDefinitions, type NamedDefinition } from './serverDefinitions.ts'
import { createServerLog, type ServerLog } from '../base/serverLog.ts'
import { changedPrograms, readServerPrograms, type HashWorkspaceFile, type ServerPrograms } from './serverPrograms.ts'

/** A defined server, running or not. */
export interface ServerEntry {
  key: string
  name: string
  origin: McpOrigin
  /** Workspace file that defines the server; absent for others. */
  file?: string
  /** Name of the plug-in that brings the server, and the real path of its folder. */
  plugin?: string
  pluginRoot?: string
  definition: McpDefinition
  /** The definition that the user decided about, if it has changed since. */
  before?: McpDefinition
  /** `restricted`: the user does not trust the folder. */
  trust: 'trusted' | 'refused' | 'unknown' | 'restricted'
  /** Workspace files that the server starts. Empty for the user's own servers. */
  programs: ServerPrograms
  /** The files that changed since the user trusted the server. */
  changedPrograms?: readonly string[]
  /** Inputs (`${input:NAME}`) with a stored secret. */
  storedInputs: ReadonlySet<string>
  /** Whether tokens of a sign-in are stored for the address of the server. */
  signedIn: boolean
  log: ServerLog
  connection?: Connection
}

/**
 * Returns the id of the secret for `${input:NAME}`. Each workspace has its own secrets, even for servers of the same
 * name.
 */
export function secretId(
  { origin, name }: Pick<ServerEntry, 'origin' | 'name'>,
  workspace: string,
  input: string,
): string {
  return JSON.stringify(['mcp', origin === 'workspace' ? workspace : origin, name, input])
}

/** Returns what a trust decision about a workspace server applies to. */
export function trustSubject(
  workspace: string,
  { name, definition, programs }: Pick<ServerEntry, 'name' | 'definition' | 'programs'>,
): TrustSubject {
  return { workspace, kind: 'mcp', name, definition, programs }
}

/** A server of a plug-in that the user trusts. */
export interface PluginServerDefinition {
  plugin: string
  /** Real path of the folder of the plug-in. */
  root: string
  name: string
  definition: McpDefinition
}

/** Key of a server of a plug-in. */
export const pluginKey = ({ plugin, name }: PluginServerDefinition) => `plugin:${plugin}:${name}`

export interface ServerEntryDeps {
  /** Real path, which identifies the workspace. */
  workspace: string
  /** Folders of a multi-root workspace. */
  folders?: WorkspaceRoots['folders']
  /** Reads a workspace file; null if it does not exist. */
  readText(path: string): Promise<string | null>
  /** Hashes a workspace file that a server starts. */
  hashFile: HashWorkspaceFile
  settings(): McpSettings
  /** Returns the servers of plug-ins that the user trusts. Default: none. */
  plugins?(): Promise<PluginServerDefinition[]>
  trust: TrustStore
  /** Whether the user trusts the folder. Otherwise its servers are only listed. */
  folderTrusted(): boolean
  /** Trusts undecided servers in this process. */
  trustAll: boolean
  /** Returns a stored secret by its id (`secretId`). */
  secret(id: string, fresh?: boolean): Promise<string | undefined>
}

/** Where the files of the workspace are. */
export const rootsOf = ({ workspace, folders }: Pick<ServerEntryDeps, 'workspace' | 'folders'>): WorkspaceRoots => ({
  root: workspace,
  folders,
})

/**
 * Reads the servers of the user and of the workspace, ordered by name, with the trust decisions and stored secrets.
 * @returns the servers without connections, and problems of the definition files
 */
export async function readServerEntries(
  deps: ServerEntryDeps,
): Promise<{ entries: ServerEntry[]; problems: readonly string[] }> {
  const { servers, problems } = await readDefinitions(deps.readText, deps)
  const own = Object.entries(deps.settings().servers).map(([name, definition]) => ({
    key: `user:${name}`,
    name,
    origin: 'user' as const,
    definition,
    trust: 'trusted' as const,
    programs: {},
  }))
  const plugins = ((await deps.plugins?.()) ?? []).map((server) => ({
    key: pluginKey(server),
    // With the name of the plug-in, so that it never has the name of another server.
    name: `${server.plugin}:${server.name}`,
    origin: 'plugin' as const,
    plugin: server.plugin,
    pluginRoot: server.root,
    definition: server.definition,
    trust: 'trusted' as const,
    programs: {},
  }))
  const workspace = await Promise.all(servers.map((server) => workspaceEntry(server, deps)))
  const entries = await Promise.all(
    [...own, ...plugins, ...workspace].toSorted(byName).map(async (entry) => ({
      ...entry,
      storedInputs: await storedInputs(entry, deps),
      signedIn: await isSignedIn(entry, deps),
      log: createServerLog(),
    })),
  )
  return { entries, problems }
}

async function workspaceEntry({ name, file, definition }: NamedDefinition, deps: ServerEntryDeps) {
  const programs = await readServerPrograms({ definition, file }, rootsOf(deps), deps.hashFile)
  const subject = trustSubject(deps.workspace, { name, definition, programs })
  const { state, hash, before, programsBefore } = deps.trust.check(subject)
  // Stores the programs, so that changing them requires a new decision.
  if (programsBefore === 'unknown') await deps.trust.decide(subject, true)
  return {
    key: hash,
    name,
    origin: 'workspace' as const,
    file,
    definition,
    trust: trustState(state, deps),
    // For servers, the trust store contains only definitions of this type.
    before: before as McpDefinition | undefined,
    programs,
    changedPrograms:
      programsBefore === undefined || programsBefore === 'unknown'
        ? undefined
        : changedPrograms(programsBefore, programs),
  }
}

function trustState(state: TrustAnswer['state'], { folderTrusted, trustAll }: ServerEntryDeps): ServerEntry['trust'] {
  if (!folderTrusted()) return 'restricted'
  return state === 'unknown' && trustAll ? 'trusted' : state
}

async function storedInputs(
  entry: Pick<ServerEntry, 'origin' | 'name' | 'definition'>,
  { workspace, secret }: ServerEntryDeps,
): Promise<Set<string>> {
  const names = inputNames(entry.definition)
  const secrets = await Promise.all(names.map((name) => secret(secretId(entry, workspace, name))))
  return new Set(names.filter((_name, index) => secrets[index] !== undefined))
}

async function isSignedIn(
  entry: Pick<ServerEntry, 'origin' | 'name' | 'definition'>,
  deps: ServerEntryDeps,
): Promise<boolean> {
  if (entry.definition.type !== 'http') return false
  const id = credentialsId(entry, deps.workspace)
  return (await readCredentials(deps, id, entry.definition.url)) !== undefined
}

function byName(one: { name: string; key: string }, other: { name: string; key: string }): number {
  return one.name < other.name || (one.name === other.name && one.key < other.key) ? -1 : 1
}

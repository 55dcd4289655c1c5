import { Sequencer } from '../../shared/async/sequencer.ts'
import { ToolError } from '../../shared/errors.ts'
import type { McpChoice, McpSettings, McpState, McpServerState, McpServerStatus } from '../../shared/tools/mcp.ts'
import { inputNames } from '../../shared/tools/mcpInputs.ts'
import { log } from '../base/log/log.ts'
import { folderOrFirst } from '../base/workspaceRoots.ts'
import type { McpTimeouts } from './mcpTimeouts.ts'
import type { McpTool } from './mcpTool.ts'
import { listServerTools, type ListedTool } from './mcpToolList.ts'
import { credentialsId, type SecretAccess } from './oauth/credentials.ts'
import { createServerSignIns, type McpSignIns, type SignInState } from './serverSignIns.ts'
import { createOfferedContent, type McpContent } from './offeredContent.ts'
import type { Connection } from './serverConnection.ts'
import {
  pluginKey,
  readServerEntries,
  secretId,
  trustSubject,
  type ServerEntry,
  type ServerEntryDeps,
  rootsOf,
} from './serverEntries.ts'
import { changedPrograms, readServerPrograms } from './serverPrograms.ts'
import type { ProcessEnding } from './stdioTransport.ts'

/** The MCP servers of the open folder: the user's own, and those defined in the folder once trusted. */
export interface Mcp {
  state(): McpState
  /** Returns the tools of connected servers, including disabled ones. The order is deterministic. */
  tools(): readonly McpTool[]
  /** Starts the servers on the first call. Resolves when every first connection attempt has succeeded or failed. */
  ready(signal: AbortSignal): Promise<void>
  /** Starts trusted servers in parallel, without waiting. */
  start(): void
  /** Reads definitions, trust and choices again, and starts and stops servers accordingly. */
  refresh(): Promise<void>
  /** Whether a server of the folder starts a file, given relative to the workspace. */
  startsFile(path: string): boolean
  /** Stores a trust decision. @throws ToolError conflict if the definition with this key has changed */
  decideTrust(key: string, trusted: boolean): Promise<void>
  /** Restarts a server. */
  restart(key: string): Promise<void>
  signIns: McpSignIns
  content: McpContent
  dispose(): Promise<void>
}

export interface McpDeps extends ServerEntryDeps, SecretAccess {
  /**
   * Working directory of the user's own servers. Not the untrusted workspace, where `npx NAME` and `python -m NAME`
   * would start files of the workspace.
   */
  home: string
  version: string
  environment: NodeJS.ProcessEnv
  processes: ProcessEnding
  onChanged(state: McpState): void
  times?: McpTimeouts
}

/** Creates the MCP servers of a folder. Nothing starts before `ready`. */
// oxlint-disable-next-line eslint/max-lines-per-function -- One state: the servers of a folder.
export function createMcp(deps: McpDeps): Mcp {
  let entries: readonly ServerEntry[] = []
  let problems: readonly string[] = []
  let started = false
  let disposed = false
  let tools: readonly McpTool[] | undefined
  const changes = new Sequencer()
  const choiceOf = (entry: ServerEntry) => userChoice(deps.settings(), entry.key)
  const isOff = (entry: ServerEntry) => choiceOf(entry)?.off ?? false
  const mayRun = (entry: ServerEntry) => !disposed && started && entry.trust === 'trusted' && !isOff(entry)

  let lastState = JSON.stringify(state())
  function changed(): void {
    tools = undefined
    const now = state()
    const text = JSON.stringify(now)
    if (disposed || text === lastState) return
    lastState = text
    deps.onChanged(now)
  }

  /** Waits for all queued changes. */
  const content = createOfferedContent(() => entries.filter(({ trust }) => trust === 'trusted'))
  const signIns = createServerSignIns({
    secrets: deps,
    workspace: deps.workspace,
    find,
    restart: (key) => changes.queue(() => update(key)),
    onChanged: changed,
  })

  const changesDone = () => changes.queue(async () => undefined)

  /** Applies the current definitions: unchanged servers continue, others stop, and new ones start. */
  async function update(restartKey?: string): Promise<void> {
    if (disposed) return
    const before = entries
    const next = await readServerEntries(deps)
    problems = next.problems
    const merged = continueConnections(before, next.entries, (entry) => mayRun(entry) && entry.key !== restartKey)
    entries = merged.entries
    const closing = merged.ended.map((connection) => connection.close())
    changed()
    // Waits for the old process, since the new one may need the same port or file.
    await Promise.all(closing)
    const waiting = entries.filter((entry) => !entry.connection && mayRun(entry))
    await connectServers(waiting, mayRun, deps, changed, (entry) => requireSamePrograms(entry, deps, refresh))
    changed()
  }

  function start(): void {
    if (started) return
    started = true
    changes.queue(() => update()).catch(() => undefined)
  }

  const refresh = () => changes.queue(() => update())

  function listTools(): ListedTool<ServerEntry>[] {
    return listServerTools(entries, choiceOf, (entry, problem) => {
      if (!entry.log.lines().includes(problem)) entry.log.add(problem)
    })
  }

  function state(): McpState {
    const listed = listTools()
    const statusOf = (entry: ServerEntry) => ({
      ...content.of(entry),
      ...serverStatus(
        entry,
        isOff(entry),
        listed.filter(({ owner }) => owner === entry).map(({ status }) => status),
        signIns.state(entry.key),
      ),
    })
    return { servers: entries.map(statusOf), problems: [...problems] }
  }

  function find(key: string): ServerEntry {
    const entry = entries.find((each) => each.key === key)
    if (!entry)
      throw new ToolError('conflict', 'The definition of this server has changed.', 'Review the current definition.')
    return entry
  }

  return {
    state,
    tools: () => (tools ??= listTools().map(({ tool }) => tool)),
    start,
    async ready(signal) {
      start()
      await changesDone()
      await Promise.all(entries.map(async (entry) => entry.connection?.firstAttempt(signal)))
    },
    refresh,
    startsFile: (path) => entries.some(({ programs }) => Object.hasOwn(programs, path)),
    decideTrust: (key, trusted) =>
      changes.queue(async () => {
        const entry = find(key)
        if (entry.origin !== 'workspace')
          throw new ToolError('invalid_arguments', "Only a folder's servers need a trust decision.")
        await deps.trust.decide(trustSubject(deps.workspace, entry), trusted)
        await update()
      }),
    restart: (key) => changes.queue(() => update(find(key).key)),
    signIns,
    content,
    async dispose() {
      disposed = true
      signIns.cancelAll()
      await changesDone()
      await Promise.all(entries.map(async (entry) => entry.connection?.close()))
    },
  }
}

function userChoice({ choices }: McpSettings, key: string): McpChoice | undefined {
  return Object.hasOwn(choices, key) ? choices[key] : undefined
}

/**
 * Moves connections and logs of unchanged servers to the new entries. Connections without a new entry are in `ended`.
 */
function continueConnections(
  before: readonly ServerEntry[],
  next: readonly ServerEntry[],
  mayContinue: (entry: ServerEntry) => boolean,
): { entries: ServerEntry[]; ended: Connection[] } {
  const isSame = (one: ServerEntry, other: ServerEntry) =>
    one.key === other.key &&
    JSON.stringify([one.definition, one.programs]) === JSON.stringify([other.definition, other.programs])
  const previous = new Map(
    before.flatMap((old): [ServerEntry, ServerEntry][] => {
      const same = next.find((entry) => isSame(entry, old))
      return same && mayContinue(same) ? [[same, old]] : []
    }),
  )
  const continued = new Set(previous.values())
  return {
    entries: next.map((entry) => {
      const old = previous.get(entry)
      return old ? { ...entry, log: old.log, connection: old.connection } : entry
    }),
    ended: before.flatMap((old) => (old.connection && !continued.has(old) ? [old.connection] : [])),
  }
}

/**
 * Checks before each start that the files of a trusted server have not changed since the user trusted it. Servers of
 * plug-ins are checked before each use too.
 * @param refresh called after a change, so that the server requires trust again
 * @throws ToolError refused
 */
async function requireSamePrograms(
  { key, plugin, definition, file, programs, origin }: ServerEntry,
  { hashFile, plugins, ...deps }: McpDeps,
  refresh: () => Promise<void>,
): Promise<void> {
  if (origin === 'user') return
  if (plugin !== undefined) {
    if ((await plugins?.())?.some((server) => pluginKey(server) === key)) return
    refresh().catch((error: unknown) => log.error('Reading the MCP servers again failed', error))
    throw new ToolError(
      'refused',
      `The plug-in ${plugin} is no longer trusted, or its files have changed, so its MCP server is not used.`,
      'The user decides about it on the page of the plug-ins.',
    )
  }
  const changed = changedPrograms(programs, await readServerPrograms({ definition, file }, rootsOf(deps), hashFile))
  if (changed.length === 0) return
  refresh().catch((error: unknown) => log.error('Reading the MCP servers again failed', error))
  throw new ToolError(
    'refused',
    `Files that this server starts have changed: ${changed.join(', ')}.`,
    'Review and trust the server again.',
  )
}

/** @param mayRun checked again before each start, because the protocol library loads asynchronously */
async function connectServers(
  entries: readonly ServerEntry[],
  mayRun: (entry: ServerEntry) => boolean,
  { workspace, folders, home, version, environment, processes, times, secret, setSecret }: McpDeps,
  onChanged: () => void,
  beforeAttempt: (entry: ServerEntry) => Promise<void>,
): Promise<void> {
  if (entries.length === 0) return
  // Loaded on demand, so that the protocol library does not delay the start of the application.
  const { openConnection } = await import('./openConnection.ts')
  for (const entry of entries.filter(mayRun)) {
    const { name, definition, file, log } = entry
    const { absolute } = folderOrFirst({ root: workspace, folders }, file ?? '.')
    const connection = openConnection({
      name,
      definition,
      log,
      input: (wanted) => secret(secretId(entry, workspace, wanted)),
      credentials: { id: credentialsId(entry, workspace), secret, setSecret },
      cwd: entry.pluginRoot ?? (entry.origin === 'user' ? home : absolute),
      workspace: absolute,
      version,
      environment,
      processes,
      times,
      onChanged,
      beforeAttempt: () => beforeAttempt(entry),
    })
    entry.connection =
      entry.plugin === undefined ? connection : checkedConnection(connection, () => beforeAttempt(entry))
  }
}

/** Checks before each use that the plug-in of a running server is still trusted and unchanged. */
function checkedConnection(connection: Connection, check: () => Promise<void>): Connection {
  return {
    ...connection,
    async call(...args) {
      await check()
      return connection.call(...args)
    },
    async prompt(...args) {
      await check()
      return connection.prompt(...args)
    },
    async resource(...args) {
      await check()
      return connection.resource(...args)
    },
  }
}

/**
 * Returns the status of a server for the window.
 * @param off whether the user has turned off the server
 * @param signingIn a sign-in that waits for the user
 */
function serverStatus(
  entry: ServerEntry,
  off: boolean,
  tools: McpServerStatus['tools'],
  signingIn: SignInState | undefined,
): McpServerStatus {
  const { key, name, origin, file, plugin, definition, before, changedPrograms, storedInputs, log } = entry
  const connection = entry.connection?.state()
  return {
    key,
    name,
    origin,
    file,
    ...(plugin !== undefined && { plugin }),
    definition,
    before,
    changedFiles: changedPrograms && [...changedPrograms],
    state: serverState(entry, off),
    problem: connection?.kind === 'failed' || connection?.kind === 'starting' ? connection.problem : undefined,
    log: log.lines(),
    inputs: inputNames(definition).map((input) => ({ name: input, stored: storedInputs.has(input) })),
    tools,
    signIn: signInStatus(entry, signingIn),
  }
}

function signInStatus(
  { connection, signedIn }: ServerEntry,
  signingIn: SignInState | undefined,
): McpServerStatus['signIn'] {
  if (signingIn) return { state: 'waiting', page: signingIn.page }
  const state = connection?.state()
  if (state?.kind === 'failed' && state.signInRequired) return { state: 'required' }
  return signedIn ? { state: 'signedIn' } : undefined
}

function serverState({ trust, connection }: ServerEntry, off: boolean): McpServerState {
  if (trust === 'unknown') return 'untrusted'
  if (trust !== 'trusted') return trust
  if (off) return 'off'
  const kind = connection?.state().kind
  return kind === undefined || kind === 'closed' ? 'idle' : kind
}

import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { PluginFolders } from '../../shared/plugins/plugins.ts'
import { hookEvents, hookFiles, type HookEvent, type HookInfo } from '../../shared/tools/hooks.ts'
import { pathWords, possibleScripts } from '../base/commandFiles.ts'
import {
  absoluteIn,
  folderOf,
  folderOrFirst,
  inEachFolder,
  pathInFolder,
  relativeInside,
  topFolders,
  type WorkspaceRoots,
} from '../base/workspaceRoots.ts'
import type { HashWorkspaceFile } from '../mcp/serverPrograms.ts'
import type { PluginHooks } from '../settings/plugins/pluginStore.ts'
import type { TrustStore, TrustSubject } from '../settings/trustStore.ts'
import { parseHookFile, possibleScriptsOfPlugin, type HookDefinition } from './hookFiles.ts'
import { anyMatcher, parseMatcher, type HookMatcher } from './hookMatcher.ts'
import { selectedFiles } from './selectedFiles.ts'

export interface HookReadingDeps {
  workspace: WorkspaceRoots
  /**
   * Returns the real path that decisions about the hooks of a folder are stored under: the repository's, for a worktree
   * of a session.
   */
  trustedAs(folder: string): string
  trust: TrustStore
  folderTrusted(): boolean
  /** Reads a file of the folder; null if it is missing. @throws if it cannot be read */
  readText(path: string): Promise<string | null>
  hashFile: HashWorkspaceFile
  /** Hooks of plug-ins that the user trusts. Default: none. */
  plugins?(): Promise<PluginHooks[]>
  findProgram(name: string): string | undefined
}

/** A hook with the user's decision. */
export interface KnownHook extends HookInfo {
  /** Its folder, as a workspace path. */
  folder: string
  subject: TrustSubject
  /** Whether the user turned off another version of it. */
  refusedBefore: boolean
  /** Folders of the plug-in that brings it. */
  pluginFolders?: PluginFolders
  /** While it is changed, what it applied to when it was approved too. */
  applies: HookMatcher
  /** Approved hooks that are gone, so that it may be one of them. */
  replaces?: KnownHook[]
}

/**
 * Reads the hooks that the files of the folder and the plug-ins define, with the user's decisions.
 * @param event leaves out hooks of plug-ins for other events, whose files are then not compared
 */
export async function readHooks(
  deps: HookReadingDeps,
  event?: HookEvent,
): Promise<{ hooks: KnownHook[]; problems: string[] }> {
  const reading: Reading = { seen: new Map(), readsScripts: deps.folderTrusted() }
  const sources = hookFiles.flatMap((file) => inEachFolder(deps.workspace, file))
  const files = await Promise.all(
    sources.map(async (source) =>
      deps.readText(source).then(
        (text) => parseHookFile(source, text ?? ''),
        () => ({
          definitions: [],
          problems: [`${source} cannot be read.`],
          unreadable: true,
          unused: [] as HookEvent[],
        }),
      ),
    ),
  )
  const definitions = files.flatMap((file) => file.definitions)
  const hooks: KnownHook[] = []
  for (const definition of definitions) hooks.push(await knownHook(definition, reading, deps))
  for (const plugin of (await deps.plugins?.()) ?? [])
    for (const hook of plugin.hooks)
      if (event === undefined || hook.event === event) hooks.push(await pluginHook(plugin, hook, reading, deps))
  const gone = goneHooks(hooks, deps)
  markReplacements(hooks, gone)
  const fileOf = (source: string) => files[sources.indexOf(source)]
  const unclear = hooks
    .filter(({ applies }) => applies.unclear)
    .map(
      ({ matcher, source }) =>
        `The matcher "${matcher}" in ${source} has operators that Tizona does not read, so its hook runs for every tool.`,
    )
  // Others were deleted from their file.
  const lost = gone.filter(({ source, event: of }) => fileOf(source)?.unreadable || fileOf(source)?.unused.includes(of))
  return { hooks: [...lost, ...hooks], problems: [...files.flatMap((file) => file.problems), ...unclear] }
}

/** Returns what the window shows of a hook. */
export function hookInfo({
  folder: _folder,
  subject: _subject,
  refusedBefore: _refusedBefore,
  applies: _applies,
  pluginFolders: _pluginFolders,
  replaces: _replaces,
  ...info
}: KnownHook): HookInfo {
  return info
}

/** A hook as it was when the user decided. */
const storedDefinition = z.object({
  /** Relative to its folder. */
  source: z.string(),
  event: z.enum(hookEvents),
  matcher: z.string(),
  command: z.string(),
  timeout: z.number().catch(0),
  // The trust in a plug-in covers its hooks.
  pluginHash: z.undefined().optional(),
})

/** Returns the approved hooks that no file of their folder defines any more, and no other replaced. */
function goneHooks(hooks: readonly KnownHook[], { trust, trustedAs, workspace }: HookReadingDeps): KnownHook[] {
  return topFolders(workspace).flatMap((folder) => {
    const path = trustedAs(absoluteIn(workspace, folder))
    const decisions = trust.decisions(path, 'hook')
    const present = new Set(hooks.filter((hook) => hook.folder === folder).map(({ subject }) => subject.name))
    const replaced = new Set(decisions.flatMap(({ name, replaces = [] }) => (present.has(name) ? replaces : [])))
    return decisions.flatMap(({ name, definition, trusted }) => {
      const stored = storedDefinition.safeParse(definition)
      if (!trusted || !stored.success || present.has(name) || replaced.has(name)) return []
      const { pluginHash: _, source, ...info } = stored.data
      return [
        {
          ...info,
          source: pathInFolder(folder, source),
          folder,
          id: createHash('sha256')
            .update(JSON.stringify(['lost', folder, path, name]))
            .digest('hex'),
          scripts: [],
          missing: [],
          state: 'lost' as const,
          refusedBefore: false,
          subject: { workspace: path, kind: 'hook' as const, name, definition },
          applies: parseMatcher(info.matcher),
        },
      ]
    })
  })
}

/** A new hook beside one that is gone may be that one with another command, or from another file: then it is changed. */
function markReplacements(hooks: readonly KnownHook[], gone: readonly KnownHook[]): void {
  for (const hook of hooks) {
    if (hook.state !== 'new' || hook.plugin !== undefined) continue
    const replaced = gone.filter(
      ({ folder, source, event, command }) =>
        folder === hook.folder && event === hook.event && (source === hook.source || command === hook.command),
    )
    if (replaced.length === 0) continue
    hook.state = 'changed'
    hook.replaces = replaced
    hook.applies = anyMatcher([hook, ...replaced].map(({ applies }) => applies))
  }
}

/** One pass over the files. */
interface Reading {
  /** Number of equal hooks so far. */
  seen: Map<string, number>
  /** Before the user trusts the folder, its files do not decide what is read: it could take minutes. */
  readsScripts: boolean
}

async function knownHook(
  definition: HookDefinition,
  reading: Reading,
  deps: HookReadingDeps,
  pluginHash?: string,
): Promise<KnownHook> {
  const { workspace, trust, trustedAs } = deps
  const { source, event, command } = definition
  const { folder, absolute } = folderOrFirst(workspace, source)
  // Without the name of the folder, which another workspace gives another one.
  const inside = folderOf(workspace, source)?.inside ?? source
  const key = JSON.stringify([source, event, command])
  const count = (reading.seen.get(key) ?? 0) + 1
  reading.seen.set(key, count)
  const named = () =>
    pluginHash === undefined
      ? possibleScripts(command)
      : possibleScriptsOfPlugin(command, (word) => deps.findProgram(word) !== undefined)
  const scripts = reading.readsScripts ? named() : []
  const names = [...new Set([...scripts, ...(await selectedFiles(scripts, absolute))])]
  const found = await Promise.all(names.map((script) => deps.hashFile(pathInFolder(folder, script))))
  const files = new Map(
    found
      .flatMap((file) => (file === null ? [] : [[file.path, file.hash] as const]))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
  const programs = Object.fromEntries(
    [...files].map(([path, hash]) => {
      const file = absoluteIn(workspace, path)
      return [relativeInside(absolute, file) ?? file, hash] as const
    }),
  )
  const plain = `${inside} ${event} ${command}`
  const subject: TrustSubject = {
    workspace: trustedAs(absolute),
    kind: 'hook',
    // No source begins with a number, so this is the name of no other hook.
    name: count === 1 ? plain : `${count} ${plain}`,
    definition: { ...definition, source: inside, ...(pluginHash !== undefined && { pluginHash }) },
    programs,
  }
  const { state, hash, before, programsBefore, refusedBefore = false } = trust.check(subject)
  const isChanged = !refusedBefore && (before !== undefined || programsBefore !== undefined)
  const approved = storedDefinition.safeParse(isChanged ? before : undefined)
  const isSame = state === 'trusted' || (programsBefore !== undefined && !reading.readsScripts)
  const undecided = isChanged ? 'changed' : 'new'
  const id = createHash('sha256').update(JSON.stringify([source, subject.name, hash, programs]))
  return {
    ...definition,
    folder,
    id: id.digest('hex'),
    scripts: [...files.keys()],
    missing: files.size > 0 || !reading.readsScripts ? [] : pathWords(command),
    state: state === 'refused' ? 'refused' : isSame ? 'approved' : undecided,
    refusedBefore,
    subject,
    applies: anyMatcher(
      [definition, ...(approved.success ? [approved.data] : [])].map(({ matcher }) => parseMatcher(matcher)),
    ),
  }
}

/**
 * Returns a hook of a plug-in. The trust in the plug-in approves it, unless its command names files of the folder: then
 * the user decides for this folder. The user can also turn it off here.
 */
async function pluginHook(
  { name, root, data, readOnlyData, hash, isChanged }: PluginHooks,
  hook: PluginHooks['hooks'][number],
  reading: Reading,
  deps: HookReadingDeps,
): Promise<KnownHook> {
  const source = `the plug-in ${name}`
  const known = await knownHook({ ...hook, source }, reading, deps, hash)
  const isOfPlugin = known.scripts.length === 0
  // An update of the plug-in turns nothing on.
  const isOff = known.state === 'refused' || known.refusedBefore
  const changed = await isChanged()
  return {
    ...known,
    plugin: { name, changed },
    pluginFolders: { root, data, ...(readOnlyData && { readOnlyData }) },
    state: isOff ? 'refused' : changed ? 'changed' : isOfPlugin ? 'approved' : known.state,
  }
}

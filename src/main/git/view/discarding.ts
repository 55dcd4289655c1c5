import { asSentence } from '../../base/asSentence.ts'
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import { toWorkspacePath, type GitDiscardResult } from '../../../shared/git/git.ts'
import { plural } from '../../../shared/text/plural.ts'
import { compareCodeUnits } from '../../base/nameOrder.ts'
import { absoluteIn, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { errorCode } from '../../base/fileErrors.ts'
import type { Checkpoints } from '../../history/checkpoints/checkpoints.ts'
import type { Actions, WorkingFiles } from './actions.ts'
import type { FoundRepository } from './findRepositories.ts'
import { pathsFromInput } from './names.ts'

type Skipped = GitDiscardResult['skipped']

/** What was stored before files are overwritten. `kept`: repository paths that can be changed now. */
export interface Backup {
  id: number | null
  kept: string[]
  skipped: Skipped
}

export interface Discarding {
  /** Restores files from the index (`changes`) or deletes them (`untracked`), after storing their content. */
  discard(
    id: string,
    paths: readonly string[],
    group: 'changes' | 'untracked',
    operation?: string,
  ): Promise<GitDiscardResult>
  /**
   * Restores the files stored by a discard or another action, except those that have changed since. `backup` in the
   * result undoes that in turn.
   * @param only restores these workspace paths, even if they have changed
   */
  undoDiscard(id: string, backup: number, only?: readonly string[], operation?: string): Promise<GitDiscardResult>
  /**
   * Stores the content of files before an action overwrites them. Skips files that cannot be stored.
   * @param act the action; it changes the files in `kept`
   */
  overwrite<T>(
    found: FoundRepository,
    paths: readonly string[],
    reason: string,
    signal: AbortSignal,
    act: (backup: Backup) => Promise<T>,
  ): Promise<T>
  /** Restores stored files as part of another action. */
  restore(backup: number, signal: AbortSignal): Promise<{ before: number; skipped: Skipped }>
}

export function createDiscarding(
  { change }: Actions,
  { workspace, checkpoints, target }: Pick<WorkingFiles, 'checkpoints' | 'target'> & { workspace: WorkspaceRoots },
): Discarding {
  const overwritten = createOverwrittenFiles(checkpoints.scan)

  async function backUp(
    found: FoundRepository,
    paths: readonly string[],
    reason: string,
    signal: AbortSignal,
  ): Promise<Backup & { places: readonly string[] }> {
    const skipped: Skipped = []
    const places = new Map<string, string>()
    for (const name of paths) {
      const place = toWorkspacePath(found, name)
      if (place === null) skipped.push({ path: name, why: 'It is outside the open folder.' })
      else if (!place.isWellFormed()) skipped.push({ path: name, why: 'Its name is not valid UTF-8.' })
      else if (name.endsWith('/')) skipped.push({ path: name, why: 'It is a separate repository.' })
      else places.set(name, place)
    }
    if (places.size === 0) return { id: null, kept: [], skipped, places: [] }
    // git deletes whatever is in the way: a folder where a file goes, and a file where a folder goes.
    const replaced = await filesInPlaceOfFolders(workspace, [...places.values()])
    const taken = await checkpoints.take({ reason, paths: [...new Set([...replaced, ...places.values()])] }, signal)
    if (taken.omittedCount > taken.omitted.length)
      throw new ToolError(
        'too_large',
        `${plural(taken.omittedCount, 'file')} cannot be backed up before the change, so nothing was changed.`,
        'Choose fewer files, or use the terminal.',
      )
    const kept = [...places].flatMap(([name, place]) => {
      const omitted = taken.omitted.find((each) => isSameOrBelow(place, each.path) || isSameOrBelow(each.path, place))
      if (omitted) skipped.push({ path: name, why: `It could not be stored for undo. ${asSentence(omitted.why)}` })
      return omitted ? [] : [name]
    })
    return { id: taken.id, kept, skipped, places: [...new Set([...replaced, ...places.values()])] }
  }

  const overwrite: Discarding['overwrite'] = async (found, paths, reason, signal, act) => {
    const { places, ...backup } = await backUp(found, paths, reason, signal)
    const result = await act(backup)
    if (backup.id !== null) await overwritten.remember(backup.id, places, signal)
    return result
  }

  async function remove(found: FoundRepository, paths: readonly string[]): Promise<Skipped> {
    const skipped: Skipped = []
    const folders = new Set<string>()
    for (const name of paths) {
      const place = toWorkspacePath(found, name) ?? name
      try {
        await target.remove(place)
        folders.add(path.posix.dirname(place))
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        if (error.code !== 'not_found') skipped.push({ path: name, why: error.message })
      }
    }
    for (const folder of folders) await removeEmptyFolders(folder)
    return skipped
  }

  /** git does not track folders, so those that a deletion leaves empty are deleted too. */
  async function removeEmptyFolders(folder: string): Promise<void> {
    for (let current = folder; current !== '.'; current = path.posix.dirname(current)) {
      const removed = await target.removeFolder(current).catch((error: unknown) => {
        // It no longer exists or is in use.
        if (error instanceof ToolError) return false
        throw error
      })
      if (!removed) return
    }
  }

  return {
    overwrite,
    restore: (backup, signal) => checkpoints.restore(backup, {}, signal),
    async discard(id, paths, group, operation) {
      const { result, status } = await change(id, operation, ({ found }, git, { signal }) =>
        overwrite(found, paths, 'before discarding changes', signal, async ({ id: backup, kept, skipped }) => {
          if (kept.length === 0) return { backup: null, skipped }
          if (group === 'untracked') return { backup, skipped: [...skipped, ...(await remove(found, kept))] }
          await git('The changes could not be discarded.', ['restore', '--quiet', ...pathsFromInput], kept)
          return { backup, skipped }
        }),
      )
      return { ...result, status }
    },
    async undoDiscard(id, backup, only, operation) {
      const { result, status } = await change(id, operation, async (_repository, _git, { signal }) => {
        const since = only ? undefined : await overwritten.since(backup, signal)
        const changed = since?.changed ?? []
        const paths = only ?? since?.paths.filter((place) => !changed.includes(place))
        if (paths?.length === 0) return { backup: null, skipped: [], changed }
        const { before, skipped } = await checkpoints.restore(backup, paths ? { paths } : {}, signal)
        if (paths) await overwritten.remember(before, paths, signal)
        return { backup: before, skipped, changed }
      })
      return { ...result, status }
    },
  }
}

const isSameOrBelow = (place: string, folder: string) => place === folder || place.startsWith(`${folder}/`)

/** Returns files and links that are where a parent folder of these paths should be. */
async function filesInPlaceOfFolders(workspace: WorkspaceRoots, places: readonly string[]): Promise<string[]> {
  const folders = new Set<string>()
  for (const place of places) {
    for (let folder = path.posix.dirname(place); folder !== '.'; folder = path.posix.dirname(folder))
      folders.add(folder)
  }
  const found: string[] = []
  for (const folder of folders) {
    try {
      if (!(await lstat(absoluteIn(workspace, folder))).isDirectory()) found.push(folder)
    } catch (error) {
      // It does not exist, or a parent is a file.
      if (errorCode(error) === undefined) throw error
    }
  }
  return found
}

type Tree = Awaited<ReturnType<Checkpoints['scan']>>
type Entry = Tree extends Map<string, infer Value> ? Value : never

/** Remembers how actions left the files that they overwrote, so that undoing one does not overwrite later work. */
interface OverwrittenFiles {
  /** Called after an action. @param backup checkpoint of the files before it @param paths relative to the workspace */
  remember(backup: number, paths: readonly string[], signal: AbortSignal): Promise<void>
  /** Returns the files of a backup, and those that have changed since; undefined if the action is not known. */
  since(backup: number, signal: AbortSignal): Promise<{ paths: readonly string[]; changed: string[] } | undefined>
}

/** Maximum number of remembered actions. */
const maxRemembered = 100

function createOverwrittenFiles(scan: Checkpoints['scan']): OverwrittenFiles {
  const states = new Map<number, { paths: readonly string[]; tree: Tree }>()
  return {
    async remember(backup, paths, signal) {
      states.set(backup, { paths, tree: await scan(paths, signal) })
      const [oldest] = states.keys()
      if (states.size > maxRemembered && oldest !== undefined) states.delete(oldest)
    },
    async since(backup, signal) {
      const state = states.get(backup)
      if (!state) return undefined
      const now = await scan(state.paths, signal)
      const changed = state.paths.filter((place) => stateOf(state.tree, place) !== stateOf(now, place))
      return { paths: state.paths, changed }
    },
  }
}

/** Returns a text that is equal for equal content at a path and below it. */
function stateOf(tree: Tree, place: string): string {
  const entries = [...tree].filter(([path]) => path === place || path.startsWith(`${place}/`))
  const sorted = entries.toSorted(([a], [b]) => compareCodeUnits(a, b))
  return JSON.stringify(sorted.map(([path, entry]) => [path, ...contentOf(entry)]))
}

/** Without times, which change when a file is written with the same content. */
function contentOf(entry: Entry): (string | number)[] {
  switch (entry.kind) {
    case 'file':
      return ['file', entry.hash, entry.mode]
    case 'link':
      return ['link', entry.target]
    default:
      return [entry.kind]
  }
}

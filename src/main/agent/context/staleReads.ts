import { stat } from 'node:fs'
import { join } from 'node:path'
import type { ChangedFile, ConversationItem, ToolItem } from '../../../shared/conversation.ts'

/** Returns when a file last changed, in milliseconds since the epoch, or undefined if it does not exist. */
export type ChangedAt = (path: string) => Promise<number | undefined>

/** Reads modification times from disk. @param root real path of the workspace */
export function changedOnDisk(root: string): ChangedAt {
  // With a callback, because each request calls it for every file that was read, and a promise of `fs` costs twice as much.
  return (path) =>
    new Promise((resolve) => {
      // With an error, the file was deleted or is unreadable, so the content that the model read is stale.
      stat(join(root, path), (error, stats) => resolve(error ? undefined : stats.mtimeMs))
    })
}

/** Returns the file that a call read; undefined if it read none. */
export function readPath({ result }: ToolItem): string | undefined {
  return result?.ok && result.view.kind === 'file' ? result.view.path : undefined
}

/** Returns the files that a call changed. */
export function changedPaths({ result }: ToolItem): string[] {
  if (!result?.ok || result.view.kind !== 'diff') return []
  return result.view.files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
}

const endOf = (item: ToolItem): number => item.endedAt ?? item.at + (item.result?.elapsedMs ?? 0)

/** Maximum number of files checked for changes before each request. */
const maxCheckedFiles = 200

/**
 * Finds files that the user or a command changed since the model read or edited them, or was informed of a change.
 * @param items the items of the next request
 */
export async function changedSinceKnown(
  items: readonly ConversationItem[],
  changedAt: ChangedAt,
): Promise<ChangedFile[]> {
  const read = new Set<string>()
  const reportedGone = new Set<string>()
  const known = new Map<string, number>()
  const setKnown = (path: string, at: number) => known.set(path, Math.max(at, known.get(path) ?? 0))
  for (const item of items) {
    if (item.kind !== 'tool' && item.kind !== 'user') continue
    for (const { path, at } of item.changedFiles ?? []) {
      setKnown(path, at)
      if (at === 0) reportedGone.add(path)
    }
    if (item.kind !== 'tool') continue
    const path = readPath(item)
    if (path !== undefined) read.add(path)
    for (const seen of [...(path === undefined ? [] : [path]), ...changedPaths(item)]) setKnown(seen, endOf(item))
  }
  const paths = [...read].slice(-maxCheckedFiles)
  const times = await Promise.all(paths.map(changedAt))
  return paths.flatMap((path, index) => {
    const at = times[index] ?? 0
    const isNew = at === 0 ? !reportedGone.has(path) : at > (known.get(path) ?? 0)
    return isNew ? [{ path, at }] : []
  })
}

/** Returns the ids of reads whose file has changed since, by a later call or on disk. */
export async function staleReads(items: readonly ConversationItem[], changedAt: ChangedAt): Promise<Set<string>> {
  const stale = new Set<string>()
  const calls = items.filter((item) => item.kind === 'tool')
  const times = new Map<string, Promise<number | undefined>>()
  for (const [index, item] of calls.entries()) {
    const path = readPath(item)
    if (path === undefined) continue
    const time = times.get(path) ?? changedAt(path)
    times.set(path, time)
    const edited = calls.slice(index + 1).some((later) => changedPaths(later).includes(path))
    if (edited || ((await time) ?? Infinity) > endOf(item)) stale.add(item.id)
  }
  return stale
}

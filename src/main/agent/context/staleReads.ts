import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChangedFile, ConversationItem, ToolItem } from '../../../shared/conversation.ts'

/** When a file last changed, in milliseconds since the epoch; undefined where it is gone. */
export type ChangedAt = (path: string) => Promise<number | undefined>

/** Of the files of a folder as they stand on disk. @param root real path of the workspace */
export function changedOnDisk(root: string): ChangedAt {
  return async (path) => {
    try {
      return (await stat(join(root, path))).mtimeMs
    } catch {
      // Gone, or not to be seen any more: either way the model's reading of it is out of date.
      return undefined
    }
  }
}

/** The file that a call read, where it read one. */
export function readPath({ result }: ToolItem): string | undefined {
  return result?.ok && result.view.kind === 'file' ? result.view.path : undefined
}

/** Files that a call changed. */
export function changedPaths({ result }: ToolItem): string[] {
  if (!result?.ok || result.view.kind !== 'diff') return []
  return result.view.files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
}

const endOf = (item: ToolItem): number => item.endedAt ?? item.at + (item.result?.elapsedMs ?? 0)

/** More files than these are not looked at anew before each request. */
const watchedFiles = 200

/**
 * Files that changed by another hand since the model read, edited or was told of them: by the user, or by a command.
 * @param items what the model still has before it
 */
export async function changedSinceKnown(
  items: readonly ConversationItem[],
  changedAt: ChangedAt,
): Promise<ChangedFile[]> {
  const read = new Set<string>()
  const gone = new Set<string>()
  const known = new Map<string, number>()
  const knows = (path: string, at: number) => known.set(path, Math.max(at, known.get(path) ?? 0))
  for (const item of items) {
    if (item.kind !== 'tool' && item.kind !== 'user') continue
    for (const { path, at } of item.changedFiles ?? []) {
      knows(path, at)
      if (at === 0) gone.add(path)
    }
    if (item.kind !== 'tool') continue
    const path = readPath(item)
    if (path !== undefined) read.add(path)
    for (const seen of [...(path === undefined ? [] : [path]), ...changedPaths(item)]) knows(seen, endOf(item))
  }
  const paths = [...read].slice(-watchedFiles)
  const times = await Promise.all(paths.map(changedAt))
  return paths.flatMap((path, index) => {
    const at = times[index] ?? 0
    const isNew = at === 0 ? !gone.has(path) : at > (known.get(path) ?? 0)
    return isNew ? [{ path, at }] : []
  })
}

/** Ids of reads whose file is another now: changed by a later call, or on disk. */
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

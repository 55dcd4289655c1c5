import { stat } from 'node:fs'
import { join } from 'node:path'
import type { ChangedFile, ConversationItem, ToolItem } from '../../../shared/agent/conversation.ts'

/**
 * Returns when a file last changed, in milliseconds since the epoch, or undefined if it does not exist.
 * @param since accepts a cached time that was read after this. Default: always reads
 */
export type ChangedAt = (path: string, since?: number) => Promise<number | undefined>

/** How long a cached modification time is accepted, in milliseconds. */
const maxAgeMs = 100

/** Reads modification times from disk. @param root real path of the workspace */
export function changedOnDisk(root: string): ChangedAt {
  const known = new Map<string, { checkedAt: number; changedAt: number | undefined }>()
  return (path, since = Infinity) => {
    const checkedAt = Date.now()
    const last = known.get(path)
    if (last && last.checkedAt > since && checkedAt - last.checkedAt < maxAgeMs) return Promise.resolve(last.changedAt)
    // The callback form takes half the time of the promise.
    return new Promise((resolve) => {
      stat(join(root, path), (error, stats) => {
        // On an error, the file was deleted or is unreadable, so what the model read is stale.
        const changedAt = error ? undefined : stats.mtimeMs
        known.set(path, { checkedAt, changedAt })
        resolve(changedAt)
      })
    })
  }
}

/** Returns the file that a call read; undefined if it read none. */
export function pathReadBy({ result }: ToolItem): string | undefined {
  return result?.ok && result.view.kind === 'file' ? result.view.path : undefined
}

/** Returns the files that a call changed. */
export function pathsChangedBy({ result }: ToolItem): string[] {
  if (!result?.ok || result.view.kind !== 'diff') return []
  return result.view.files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
}

/** Whether a call certainly changed no files. */
const onlyRead = ({ result }: ToolItem): boolean =>
  result?.ok === true && ['file', 'files', 'matches'].includes(result.view.kind)

const endOf = (item: ToolItem): number => item.endedAt ?? item.at + (item.result?.elapsedMs ?? 0)

/** Maximum number of files checked for changes before each request. */
const maxCheckedFiles = 200

/**
 * Finds files that the user or a command changed since the model last read or edited them or was informed of a change.
 * During a quick series of reads, files are not checked before each request.
 * @param items the items of the next request
 */
export async function changedSinceKnown(
  items: readonly ConversationItem[],
  changedAt: ChangedAt,
): Promise<ChangedFile[]> {
  const read = new Set<string>()
  const reportedGone = new Set<string>()
  const known = new Map<string, number>()
  let lastChange = 0
  const setKnown = (path: string, at: number) => known.set(path, Math.max(at, known.get(path) ?? 0))
  for (const item of items) {
    if (item.kind !== 'tool' && item.kind !== 'user') continue
    for (const { path, at } of item.changedFiles ?? []) {
      setKnown(path, at)
      if (at === 0) reportedGone.add(path)
    }
    if (item.kind !== 'tool') continue
    if (!onlyRead(item)) lastChange = Math.max(lastChange, endOf(item))
    const path = pathReadBy(item)
    if (path !== undefined) read.add(path)
    for (const seen of [...(path === undefined ? [] : [path]), ...pathsChangedBy(item)]) setKnown(seen, endOf(item))
  }
  const paths = [...read].slice(-maxCheckedFiles)
  const times = await Promise.all(paths.map((path) => changedAt(path, lastChange)))
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
    const path = pathReadBy(item)
    if (path === undefined) continue
    const time = times.get(path) ?? changedAt(path)
    times.set(path, time)
    const edited = calls.slice(index + 1).some((later) => pathsChangedBy(later).includes(path))
    if (edited || ((await time) ?? Infinity) > endOf(item)) stale.add(item.id)
  }
  return stale
}

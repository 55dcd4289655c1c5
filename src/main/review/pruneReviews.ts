import type { ReviewRows } from '../history/storedReviewRows.ts'
import type { StoredContents, StoredReview } from './storedReview.ts'

export const noLongerStored = 'The earlier content is no longer stored: it exceeded the storage limit of reviews.'

interface PrunableRow {
  kind: 'restore' | 'action' | 'file'
  key: string
  json: string
  /** Blobs needed only by this row, or rows like it. */
  hashes: readonly string[]
}

/**
 * Deletes restores, actions and bases, oldest first, until their blobs are within the limit. The current content of
 * reviewed files does not count, because deleting bases would not free it.
 */
export async function pruneRows(
  rows: ReviewRows,
  contents: StoredContents,
  maxBytes: number,
): Promise<{ files: string[]; removedActions: boolean }> {
  const prunable = (['restore', 'action', 'file'] as const).flatMap((kind) =>
    rows
      .all(kind)
      .toSorted((a, b) => a.at - b.at)
      .map(({ key, json }): PrunableRow => ({ kind, key, json, hashes: prunableHashes(kind, json) }))
      .filter(({ hashes }) => hashes.length > 0),
  )
  const bytesFrom = (at: number) => contents.bytes(new Set(prunable.slice(at).flatMap(({ hashes }) => hashes)))
  // The smallest number of rows to remove so that the others are within the limit.
  let [low, high] = [0, prunable.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((await bytesFrom(middle)) <= maxBytes) high = middle
    else low = middle + 1
  }
  const removed = prunable.slice(0, low)
  for (const { kind, key, json } of removed) {
    if (kind !== 'file') {
      rows.remove(kind, key)
      continue
    }
    const { file, ...rest } = JSON.parse(json) as StoredReview
    const layers = file.layers.map(({ gone: _gone, ...layer }) =>
      layer.base.kind === 'text' || layer.base.kind === 'binary'
        ? { ...layer, base: { kind: 'unknown' as const, why: noLongerStored } }
        : layer,
    )
    rows.set('file', key, JSON.stringify({ ...rest, file: { ...file, layers } }))
  }
  return {
    files: removed.flatMap(({ kind, key }) => (kind === 'file' ? [key] : [])),
    removedActions: removed.some(({ kind }) => kind === 'action'),
  }
}

function prunableHashes(kind: PrunableRow['kind'], json: string): string[] {
  if (kind !== 'file') return json.match(/\b[0-9a-f]{64}\b/g) ?? []
  const { file } = JSON.parse(json) as StoredReview
  const current = 'hash' in file.current ? file.current.hash : undefined
  return file.layers.flatMap(({ base, gone }) => {
    const contents = [base, ...(gone?.contents.flatMap((change) => [change.base, change.current]) ?? [])]
    return contents.flatMap((content) => ('hash' in content && content.hash !== current ? [content.hash] : []))
  })
}

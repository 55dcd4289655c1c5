import { keptFile, missing } from './fileReview.ts'
import type { ReviewedFiles } from './reviewedFiles.ts'
import type { ReviewDeps } from './reviewTypes.ts'
import { committedHunks, type Hunk } from './textReview.ts'

/** Stored in place of a commit id while there is none. */
const noCommit = 'none'

/**
 * Keeps the hunks that new commits contain, of the files that these commits changed.
 * @returns the paths of files with kept hunks
 */
export async function keepCommitted(
  { commits, store, codec }: Pick<ReviewDeps, 'commits' | 'store' | 'codec'>,
  files: ReviewedFiles,
): Promise<string[]> {
  if (!commits) return []
  const head = (await commits.head()) ?? noCommit
  const known = store.state('head')
  if (head === known) return []
  store.setState('head', head)
  const paths = files.paths()
  if (typeof known !== 'string' || head === noCommit || paths.length === 0) return []
  const contents = new Map<string, Buffer | null>()
  for (const path of paths) {
    const { current } = (await files.load(path)) ?? { current: missing }
    if (current.kind === 'missing') contents.set(path, null)
    if (current.kind === 'text' || current.kind === 'binary') contents.set(path, await store.bytesOf(current))
  }
  const kept: string[] = []
  const range = { known: known === noCommit ? undefined : known, head, files: contents }
  for (const [path, committed] of await commits.compare(range)) {
    const file = await files.load(path)
    const [pending] = file?.layers ?? []
    if (!file || !pending) continue
    if (committed.kind === 'same') files.put(keptFile(file, pending))
    else if (committed.kind === 'other' && pending.text) {
      const decoded = codec.decode(committed.content, path)
      const hunks = 'text' in decoded ? committedHunks(pending.text, decoded.text) : new Set<Hunk>()
      if (hunks.size === 0) continue
      files.put(keptFile(file, pending, hunks))
    } else continue
    kept.push(path)
  }
  return kept
}

import { useEffect } from 'react'
import { create } from 'zustand'
import { toFailure } from '../../shared/errors.ts'
import type { ReviewExcerpt, ReviewFile, ReviewFileExcerpts, ReviewScope } from '../../shared/review/review.ts'
import { request } from '../platform/bridge/bridge.ts'
import { scopeKey } from '../platform/review/reviewStore.ts'

/** Maximum number of files whose excerpts are kept. */
const maxFiles = 100

type Loaded = ReviewFileExcerpts | { failure: string; revision: number }

const useExcerpts = create<{ files: ReadonlyMap<string, Loaded> }>(() => ({ files: new Map() }))
/** Revisions that are being requested, by file. */
const requested = new Map<string, number>()

const keyOf = (scope: ReviewScope, path: string) => `${scopeKey(scope)}\n${path}`

/** Requests the excerpts of a file again. */
async function load(scope: ReviewScope, { path, revision }: Pick<ReviewFile, 'path' | 'revision'>): Promise<void> {
  const key = keyOf(scope, path)
  if (requested.get(key) === revision) return
  requested.set(key, revision)
  const loaded = await request('review.excerpts', { scope, path }).catch((error: unknown): Loaded => ({
    failure: toFailure(error).message,
    revision,
  }))
  if (requested.get(key) === revision) requested.delete(key)
  useExcerpts.setState(({ files }) => {
    const next = new Map(files)
    next.delete(key)
    next.set(key, loaded)
    for (const oldest of next.keys()) {
      if (next.size <= maxFiles) break
      next.delete(oldest)
    }
    return { files: next }
  })
}

/**
 * Returns the excerpt of a hunk, or why there is none; null until it is known. While the file is read again after a
 * change, the earlier excerpt stays.
 */
export function useExcerpt(
  scope: ReviewScope,
  file: ReviewFile,
  index: number,
): { excerpt: ReviewExcerpt; revision: number } | { failure: string } | null {
  const loaded = useExcerpts(({ files }) => files.get(keyOf(scope, file.path)))
  const isOld = loaded?.revision !== file.revision
  useEffect(() => {
    if (isOld) void load(scope, file)
  }, [scope, file, isOld])
  if (!loaded || 'failure' in loaded) return loaded ?? null
  const excerpt = loaded.excerpts[index]
  return excerpt ? { excerpt, revision: loaded.revision } : null
}

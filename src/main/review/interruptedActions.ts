import { isRunning } from '../base/processIdentity.ts'
import { changeFile, type FileReview } from './fileReview.ts'
import { missing, sameContent, type Content } from './reviewContent.ts'
import { withUnsaved } from './reviewState.ts'
import type { SessionParts } from './sessionParts.ts'
import type { ReviewStore, StoredAction } from './reviewStore.ts'

// Keeps, undos and checkpoint restores interrupted by a kill: updates the review to what they had written.

type Parts = Pick<SessionParts, 'deps' | 'files' | 'folder' | 'recorder' | 'saving'>

/** Whether calls, actions or restores are stored as running. */
export function wasInterrupted(store: Pick<ReviewStore, 'calls' | 'actions' | 'restorings'>): boolean {
  return store.calls().length > 0 || store.restorings().length > 0 || store.actions().some(({ running }) => running)
}

/** Updates the review to what dead processes did to the files. */
export async function followInterrupted(parts: Parts): Promise<void> {
  const { store } = parts.deps
  for (const { key, running, undone } of store.actions()) {
    if (!running || isRunning(running.process)) continue
    const action = store.action(key)
    const reached = action ? await followAction(parts, action, running.to) : []
    await parts.saving.now()
    store.setRunning(key, undefined)
    if (!action) continue
    if (reached.length === 0 && running.to === 'after' && !undone) store.finishAction(key, { ...action, files: [] })
    // Otherwise it could be reverted, or repeated, once more.
    else if (reached.length === action.files.length) store.setUndone(key, running.to === 'before')
  }
  for (const { key, restoring } of store.restorings()) {
    if (isRunning(restoring.process)) continue
    await followRestore(parts, restoring)
    await parts.saving.now()
    store.setRestoring(key, undefined)
  }
}

/** @returns paths of the files that already have the state to be written */
async function followAction(parts: Parts, { files }: StoredAction, to: 'before' | 'after'): Promise<string[]> {
  const { store, target } = parts.deps
  const reached: string[] = []
  for (const stored of files) {
    const before = await store.unpack(stored.before)
    const after = await store.unpack(stored.after)
    const [next, last] = to === 'after' ? [after, before] : [before, after]
    await parts.folder.observe([...new Set([next.path, last.path])])
    const isAt = async ({ path, current }: FileReview) => sameContent(await contentNow(parts, path), current)
    // A rename creates the file at one path before it deletes it at the other.
    const isHalf =
      next.path !== last.path &&
      next.current.kind !== 'missing' &&
      last.current.kind !== 'missing' &&
      (await isAt(last))
    if (await isAt(next)) {
      if (isHalf) {
        await target.remove(last.path)
        await parts.folder.observe([last.path])
      }
      replace(parts, last, next)
      reached.push(next.path)
    } else if (await isAt(last)) replace(parts, next, last)
    // Otherwise the user has changed the file since.
  }
  return reached
}

function replace({ files }: Parts, old: FileReview, next: FileReview): void {
  files.remove(old.path)
  files.put(next)
}

/** Returns a file's current content, with the unsaved text of its tab. */
async function contentNow({ deps, folder }: Parts, path: string): Promise<Content> {
  const onDisk = await folder.contentOf(path, folder.entry(path))
  const unsaved = deps.unsaved(path)
  return unsaved === null ? onDisk : withUnsaved(onDisk, unsaved)
}

async function followRestore(
  parts: Parts,
  { checkpoint, before }: { checkpoint: number; before: number },
): Promise<void> {
  const { deps, files, folder, recorder } = parts
  const { store } = deps
  const present = store.restore(before) ?? []
  const paths = [...present, ...(store.restore(checkpoint) ?? [])].map(({ path }) => path)
  if (paths.length > 0) await folder.observe([...new Set(paths)])
  for (const stored of present) {
    files.put(await store.unpack(stored))
    await recorder.followDisk(stored.path)
  }
  await restoreReviews(parts, checkpoint)
  for (const stored of store.restore(checkpoint) ?? []) {
    if (files.view(stored.path, null)) await recorder.followRenamed(stored.path)
    // Even if the file is known but has nothing to review now.
    else await putHalfRenamed(parts, await store.unpack(stored))
  }
}

/** Records the deletion of a file that a restore was about to create at another path. */
async function putHalfRenamed({ deps, files, folder }: Parts, file: FileReview): Promise<void> {
  const old = file.layers[0]?.path ?? file.path
  if (
    old === file.path ||
    files.view(old, null) ||
    (await deps.target.exists(file.path)) ||
    (await deps.target.exists(old))
  )
    return
  await folder.observe([old])
  files.put(changeFile({ ...file, path: old }, missing, 'agent'))
}

/** Restores the reviews of a checkpoint, for files whose content is the same as it was then. */
export async function restoreReviews(
  { deps, files, folder }: Omit<Parts, 'recorder' | 'saving'>,
  checkpoint: number,
): Promise<void> {
  const { store } = deps
  for (const stored of store.restore(checkpoint) ?? []) {
    const file = await store.unpack(stored)
    const now = await folder.contentOf(file.path, folder.entry(file.path))
    if (sameContent(now, file.current)) files.put(file)
  }
}

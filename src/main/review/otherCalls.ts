import { toFailure } from '../../shared/errors.ts'
import { isRunning } from '../base/processIdentity.ts'
import { log } from '../base/log/log.ts'
import type { StoredTree } from '../history/checkpoints/storedTrees.ts'
import { mayChangePath } from './activeCalls.ts'
import type { ChangeRecorder } from './changeRecorder.ts'
import type { FolderState } from './folderState.ts'
import type { ReviewedFiles } from './reviewedFiles.ts'
import type { StoredCall } from './reviewStore.ts'
import type { CallOrigin, ReviewDeps } from './reviewTypes.ts'

interface OtherCallsDeps {
  deps: Pick<ReviewDeps, 'store' | 'trees' | 'contents' | 'unsaved' | 'onProblem'>
  files: ReviewedFiles
  folder: FolderState
  recorder: ChangeRecorder
  /** Stores the review. */
  save(): Promise<void>
}

/**
 * Returns the running calls of other processes. Records what calls changed that a kill interrupted.
 * @param own keys of the calls of this process
 */
export async function callsOfOthers(
  parts: OtherCallsDeps,
  own: ReadonlySet<string>,
): Promise<Pick<CallOrigin, 'paths'>[]> {
  const { deps, save } = parts
  const running = []
  const recorded = new Set<string>()
  for (const { key, call } of deps.store.calls()) {
    if (own.has(key)) continue
    if (isRunning(call.process)) running.push({ paths: call.paths })
    else {
      try {
        for (const path of await recordInterrupted(parts, call, recorded)) recorded.add(path)
      } catch (error) {
        log.error('The changes of an interrupted call could not be recorded for review', error)
        deps.onProblem(
          `Changes of a call that was interrupted cannot be reviewed. ${toFailure(error).message} The checkpoint of its message has the earlier files.`,
        )
      }
      await save()
      // Last, because another kill may come before. The same changes can be recorded twice.
      deps.store.removeCall(key)
    }
  }
  return running
}

/**
 * Compares the files with the state before a call that a kill interrupted, and records the differences as its changes.
 * @param recorded paths that are up to date, because an earlier call changed them
 * @returns the changed paths
 */
async function recordInterrupted(
  { deps, files, folder, recorder }: OtherCallsDeps,
  { paths, before, tabs = {}, turn }: StoredCall,
  recorded: ReadonlySet<string>,
): Promise<string[]> {
  // Earlier versions did not store the state before a call.
  if (!before) return []
  // This store wrote the entries.
  const earlier = await deps.trees.read({ root: before.root, entries: before.entries as StoredTree['entries'] })
  folder.replace(paths, earlier)
  // What the user changed before the call may not be stored yet.
  for (const path of files.paths())
    if (mayChangePath({ paths }, path) && !recorded.has(path) && deps.unsaved(path) === null)
      await recorder.followDisk(path)
  const changed: string[] = []
  for (const [path, hash] of Object.entries(tabs)) {
    const now = deps.unsaved(path)
    const text = (await deps.contents.get(hash)).toString()
    if (now !== null && now !== text) changed.push(...(await recorder.recordText(path, text, now, turn)))
  }
  const observed = await folder.observe(paths)
  return [...changed, ...(await recorder.recordCall(paths ? observed : await recorder.withoutIgnored(observed), turn))]
}

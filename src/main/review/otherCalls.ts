import { isRunning } from '../base/processIdentity.ts'
import type { Entry } from '../history/checkpoints/entries.ts'
import type { ChangeRecorder } from './changeRecorder.ts'
import type { FolderState } from './folderState.ts'
import type { ReviewedFiles } from './reviewedFiles.ts'
import type { CallOrigin, ReviewDeps } from './reviewTypes.ts'

interface OtherCallsDeps extends Pick<ReviewDeps, 'store'> {
  files: ReviewedFiles
  folder: FolderState
  recorder: ChangeRecorder
}

/**
 * Returns the running calls of other processes. Records what calls changed that a kill interrupted.
 * @param own keys of the calls of this process
 */
export async function callsOfOthers(
  { store, files, folder, recorder }: OtherCallsDeps,
  own: ReadonlySet<string>,
): Promise<Pick<CallOrigin, 'paths'>[]> {
  const running = []
  for (const { key, call } of store.calls()) {
    if (own.has(key)) continue
    if (isRunning(call.process)) running.push({ paths: call.paths })
    else {
      store.removeCall(key)
      const { paths = files.paths(), entries } = call
      // This store wrote the entries.
      folder.setEntries(
        new Map(Object.entries(entries).map(([path, entry]) => [path, (entry ?? undefined) as Entry | undefined])),
      )
      if (paths.length > 0) await recorder.recordCall(await folder.observe(paths), call.turn)
    }
  }
  return running
}

import { lstat, readdir } from 'node:fs/promises'
import { ToolError } from '../../../shared/errors.ts'
import { fileError } from '../../base/fileErrors.ts'

/** Returns the device number of a folder's file system. */
export function deviceOf(folder: string): Promise<number | undefined> {
  return lstat(folder).then(
    ({ dev }) => dev,
    () => undefined,
  )
}

/**
 * Rejects the state of a workspace whose folder has disappeared: it would be recorded as an empty workspace, and
 * restoring that would delete every file.
 * @param root real path of the workspace
 * @param device `deviceOf` the folder when it was opened; undefined if unknown
 * @throws ToolError `not_found` if the folder was moved, deleted or unmounted; or another system failure
 */
export async function refuseMissingRoot(root: string, device: number | undefined): Promise<void> {
  try {
    const stats = await lstat(root)
    const isOther = !stats.isDirectory() || (device !== undefined && stats.dev !== device)
    // After unmounting, the mount point remains and is usually empty.
    if (!isOther || (stats.isDirectory() && (await readdir(root)).length > 0)) return
  } catch (error) {
    const failure = fileError(error, `The open folder "${root}" could not be read.`)
    if (!(failure instanceof ToolError && failure.code === 'not_found')) throw failure
  }
  throw new ToolError(
    'not_found',
    `The open folder "${root}" is no longer there: it was moved, deleted or unmounted.`,
    'Ask the user to restore the folder, or to open another one.',
  )
}

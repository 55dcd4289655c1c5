import { lstat, readdir } from 'node:fs/promises'
import { ToolError } from '../../../shared/errors.ts'
import { folderPaths, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { fileError } from '../../base/fileErrors.ts'

/** Device numbers of the file systems of a workspace's folders, by real path. */
export type FolderDevices = ReadonlyMap<string, number>

export async function devicesOf(workspace: WorkspaceRoots): Promise<FolderDevices> {
  const found = await Promise.all(
    folderPaths(workspace).map(async (folder) => [folder, (await lstat(folder).catch(() => undefined))?.dev] as const),
  )
  return new Map(found.flatMap(([folder, device]) => (device === undefined ? [] : [[folder, device]])))
}

/**
 * Rejects the state of a workspace of which a folder has disappeared: it would be recorded as an empty folder, and
 * restoring that would delete every file.
 * @param devices `devicesOf` the workspace when it was opened; undefined if unknown
 * @throws ToolError `not_found` if a folder was moved, deleted or unmounted; or another system failure
 */
export async function refuseMissingFolders(workspace: WorkspaceRoots, devices?: FolderDevices): Promise<void> {
  for (const folder of folderPaths(workspace)) await refuseMissingFolder(folder, devices?.get(folder))
}

async function refuseMissingFolder(root: string, device: number | undefined): Promise<void> {
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

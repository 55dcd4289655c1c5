import { inFolder } from '../base/heldFolder.ts'
import { ToolError } from '../../shared/errors.ts'
import type { FileStamp } from '../../shared/files/files.ts'
import type { WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { Workspace } from './containment.ts'
import { deleteTree } from './deleteTree.ts'
import { fileError } from '../base/fileErrors.ts'
import type { FileSystem } from './fileSystem.ts'
import { requireStamp } from './fileStamp.ts'

export interface DeletedEntry {
  path: string
  type: 'file' | 'directory' | 'symlink' | 'other'
}

export interface DeleteOptions {
  recursive?: boolean
  /** Expected stamp of the file. @throws ToolError `changed_on_disk` if its stamp is different */
  expected?: FileStamp
}

/** Deletes an entry; see `FileOperations.delete`. The caller holds the lock on its path. */
export async function deleteEntry(
  workspace: Workspace,
  fileSystem: FileSystem,
  requested: string,
  { recursive = false, expected }: DeleteOptions,
): Promise<DeletedEntry> {
  const { absolute, relative, type } = await workspace.resolve(requested, { symlink: 'keep', below: 'all' })
  if (type === 'missing') throw new Error('resolve returned a missing path although missing paths are not allowed')
  try {
    await inFolder(absolute, async (entry, parent) => {
      if (expected !== undefined) await requireStamp(entry, relative, expected, fileSystem)
      if (type !== 'directory') await fileSystem.unlink(entry)
      else if (recursive) await deleteTree(parent, absolute, relative, fileSystem)
      else throw await folderRefusal(entry, relative, fileSystem)
    })
    return { path: relative, type }
  } catch (error) {
    throw fileError(error, `"${relative}" could not be deleted.`)
  }
}

/** Throws whatever `deleteEntry` would throw now. Changes nothing. */
export async function checkDelete(
  workspace: Workspace,
  fileSystem: FileSystem,
  requested: string,
  recursive: boolean,
): Promise<void> {
  const { absolute, relative, type } = await workspace.resolve(requested, { symlink: 'keep', below: 'all' })
  refuseWorkspaceFolder(workspace, relative)
  if (type === 'directory' && !recursive)
    throw await inFolder(absolute, (entry) => folderRefusal(entry, relative, fileSystem))
}

/** @throws ToolError `invalid_path` for the workspace folder, or one of its folders */
export function refuseWorkspaceFolder({ folders }: WorkspaceRoots, relative: string): void {
  if (relative === '.')
    throw new ToolError('invalid_path', 'The workspace folder itself cannot be deleted.', 'Pass a path inside it.')
  if (folders?.some(({ name }) => name === relative))
    throw new ToolError(
      'invalid_path',
      `"${relative}" is a folder of the workspace and cannot be deleted here.`,
      'Pass a path inside it. The user can remove it from the workspace.',
    )
}

/** Returns the error for deleting a folder without `recursive`. */
async function folderRefusal(entry: string, relative: string, fileSystem: FileSystem): Promise<ToolError> {
  const empty = (await fileSystem.readdir(entry)).length === 0
  return empty
    ? new ToolError('is_directory', `"${relative}" is a directory.`, 'Repeat with recursive: true to delete it.')
    : new ToolError(
        'not_empty',
        `"${relative}" is a directory that is not empty.`,
        'Repeat with recursive: true to delete it with its content.',
      )
}

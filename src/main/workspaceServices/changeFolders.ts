import { join } from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { addFolders, removeFolder, saveWorkspaceAs } from '../workspace/multiRoot.ts'
import { openWorkspace } from '../workspace/containment.ts'
import type { WorkspaceSession } from './workspaceSession.ts'

/** A change of the folders that a window shows. */
export type FolderChange =
  | { kind: 'add'; folders: readonly string[] }
  | { kind: 'remove'; name: string }
  | { kind: 'saveAs'; path: string; overwrite: boolean }
  /** The file was changed by the user or another program. */
  | { kind: 'reload' }

/** Folder for the links of multi-root workspaces in the user data. */
export const linksFolder = (userData: string): string => join(userData, 'workspaces')

/**
 * Writes a change of the folders to the file of the workspace.
 * @returns the path of the file, to be opened
 * @throws ToolError and changes nothing
 */
export async function changeFolders(
  { workspace, buffers }: Pick<WorkspaceSession, 'workspace' | 'buffers'>,
  change: FolderChange,
  { userData, dataFolders }: { userData: string; dataFolders: readonly string[] },
): Promise<string> {
  const { multiRoot } = workspace
  if (change.kind === 'add') {
    const opened = await Promise.all(change.folders.map((folder) => openWorkspace(folder, { dataFolders })))
    const added = opened.map(({ root }) => root)
    return addFolders(workspace, added, linksFolder(userData))
  }
  if (!multiRoot)
    throw new ToolError('refused', 'The window shows a single folder, not a workspace.', 'Add a folder first.')
  if (change.kind === 'reload') return multiRoot.file
  if (change.kind === 'saveAs') return saveWorkspaceAs(multiRoot, change.path, change.overwrite)
  const unsaved = buffers.list().find(({ dirty, path }) => dirty && path.startsWith(`${change.name}/`))
  if (unsaved)
    throw new ToolError(
      'conflict',
      `"${unsaved.path}" has unsaved changes.`,
      'Save or close it, then remove the folder from the workspace.',
    )
  await removeFolder(multiRoot, change.name)
  return multiRoot.file
}

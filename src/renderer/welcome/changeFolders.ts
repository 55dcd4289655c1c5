import { toFailure } from '../../shared/errors.ts'
import { isWorkspaceFile, lastPart, workspaceFileExtension } from '../../shared/files/workspaceFolders.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { currentWorkspace, folderChange, forgetRecent, refreshApp } from '../platform/appState.ts'
import { confirm } from '../platform/confirm.ts'
import { handleCommand } from '../platform/commands.ts'
import { pickFolder } from '../platform/files/folderPicker.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { confirmUnsaved } from '../platform/editor/editorService.ts'
import { attempt } from '../platform/notices.ts'
import { chooseFolder } from '../platform/quickPick/chooseFolder.ts'
import { confirmEnd, openFolder } from './openFolder.ts'

// Commands that change the folders of the workspace: VS Code's "Workspaces: …".

/**
 * Changes the folders of this window, which ends what runs in it. Tabs and unsaved texts stay.
 * @returns whether the user agreed
 * @throws what `change` throws
 */
async function changeFolders(change: () => Promise<unknown>): Promise<boolean> {
  const agreed = await confirmEnd({
    message: 'A turn or a command is running. It ends, because the workspace opens again with other folders.',
    label: 'Stop and continue',
  })
  if (!agreed) return false
  await documents.idle()
  documents.flush()
  folderChange.from = currentWorkspace()
  try {
    await change()
    // Before other changes, because what the window shows moves to the new paths with the state.
    await refreshApp()
  } finally {
    folderChange.from = null
  }
  return true
}

/** Adds folders to the workspace. A single folder becomes the first one of an untitled workspace. */
async function addFolders(paths: readonly string[]): Promise<void> {
  await changeFolders(() => request('workspace.addFolders', { folders: [...paths] }))
}

async function chooseAdded(chosen: unknown): Promise<void> {
  if (Array.isArray(chosen)) return addFolders(chosen.map(String))
  if (typeof chosen === 'string') return addFolders([chosen])
  await pickFolder({
    title: 'Add folder to workspace',
    action: 'Add this folder',
    adding: true,
    choose: (path) => addFolders([path]),
  })
}

/** Removes a folder from the workspace, not from the disk. Asks about unsaved changes in it. */
async function removeFolder(chosen: unknown): Promise<void> {
  const folders = currentWorkspace()?.multiRoot?.folders ?? []
  const name = typeof chosen === 'string' ? chosen : await chooseFolder('Remove folder from workspace')
  if (name === null || !folders.some((folder) => folder.name === name)) return
  const unsaved = documents.dirtyPaths().filter((path) => path.startsWith(`${name}/`))
  if (!(await confirmUnsaved(unsaved))) return
  await changeFolders(async () => {
    await request('buffers.discard', { paths: unsaved.filter((path) => documents.get(path)?.dirty) })
    try {
      await request('workspace.removeFolder', { name })
    } catch (error) {
      // The folder stays, so send the unsaved text of its tabs to main again.
      documents.syncAll()
      throw error
    }
  })
}

async function openWorkspaceFile(chosen: unknown): Promise<void> {
  if (typeof chosen === 'string') return void (await openFolder(chosen))
  await pickFolder({ title: 'Open workspace from file', action: 'Open', file: 'workspaces', choose: openFolder })
}

/** Suggests a file beside the first folder, as VS Code does. */
function suggestedTarget(): { folder: string; name: string } {
  const { multiRoot, name = '' } = currentWorkspace() ?? {}
  const beside = multiRoot?.file ?? multiRoot?.folders[0]?.path ?? ''
  const folder = beside.slice(0, Math.max(beside.lastIndexOf('/'), beside.lastIndexOf('\\')))
  const stem = multiRoot?.file
    ? lastPart(multiRoot.file)
    : `${multiRoot?.folders[0]?.name ?? name}${workspaceFileExtension}`
  return { folder: folder === '' ? '/' : folder, name: stem }
}

async function saveWorkspace(): Promise<void> {
  await pickFolder({
    title: 'Save workspace as',
    action: 'Save',
    target: suggestedTarget(),
    // The system's dialog has not asked about a file if main adds the extension.
    choose: (path, fromSystem = false) => saveTo(path, fromSystem && isWorkspaceFile(path)),
  })
}

/**
 * Saves the workspace to a file. Asks before it replaces one.
 * @throws ToolError if it cannot be written
 */
async function saveTo(path: string, overwrite = false): Promise<void> {
  const before = currentWorkspace()
  try {
    const isSaved = await changeFolders(() => request('workspace.saveAs', { path, overwrite }))
    // The unsaved one no longer exists.
    if (isSaved && before?.multiRoot?.file === null) await forgetRecent(`${before.root}${workspaceFileExtension}`)
  } catch (error) {
    const failure = toFailure(error)
    if (failure.code !== 'already_exists') throw error
    const choice = await confirm({
      title: 'Replace the file?',
      message: failure.message,
      choices: [{ id: 'replace', label: 'Replace', variant: 'danger' }],
    })
    if (choice === 'replace') await saveTo(path, true)
  }
}

/**
 * Shows the folders that the workspace's file lists, after it was edited or changed by another program. Text of removed
 * folders that is not saved goes on as untitled text.
 */
async function reloadFolders(): Promise<void> {
  await changeFolders(() => request('workspace.reloadFolders', {}))
}

/** Registers the commands that change the folders. @returns a function that unregisters them */
export function registerFolderChanges(): () => void {
  const stops = [
    on('workspace.fileChanged', () => attempt(reloadFolders, 'The folders of the workspace could not be changed')),
    handleCommand('workspace.addFolder', chooseAdded),
    handleCommand('workspace.removeFolder', removeFolder),
    handleCommand('workspace.openFile', openWorkspaceFile),
    handleCommand('workspace.saveAs', saveWorkspace),
  ]
  return () => stops.forEach((stop) => stop())
}

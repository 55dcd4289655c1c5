import { isWorkspaceFile } from '../../shared/files/workspaceFolders.ts'
import { request } from '../platform/bridge/bridge.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { confirmUnsaved } from '../platform/editor/editorService.ts'
import { currentWorkspace, forgetRecent, displayPath } from '../platform/appState.ts'
import { handleCommand, runCommand } from '../platform/commands.ts'
import { confirm } from '../platform/confirm.ts'
import { pickFolder } from '../platform/files/folderPicker.ts'
import { attempt, notify } from '../platform/notices.ts'
import { followToFirstFolder } from './firstSteps/firstStepsStore.ts'

/** Asks whether to end what runs in the folder. @returns whether nothing runs, or the user agrees */
export async function confirmEnd({ message, label }: { message: string; label: string }): Promise<boolean> {
  if (!(await request('workspace.isWorking', {}))) return true
  const choice = await confirm({
    title: 'Stop what is running?',
    message,
    choices: [{ id: 'stop', label, variant: 'danger' }],
  })
  return choice === 'stop'
}

/**
 * Asks about running turns and unsaved files, discards their text if the user chose that, and leaves the folder.
 * @returns undefined if the user cancelled
 */
async function leaveFolder<T>(leave: () => Promise<T>): Promise<T | undefined> {
  const agreed = await confirmEnd({
    message: 'A turn or a command is running in this folder. It ends when you leave the folder.',
    label: 'Stop and leave',
  })
  if (!agreed) return undefined
  const unsaved = documents.dirtyPaths()
  if (!(await confirmUnsaved(unsaved))) return undefined
  documents.flush()
  // Discard only what the user was asked about. Main keeps text that became unsaved since, until the folder is opened
  // again.
  await request('buffers.discard', { paths: unsaved.filter((path) => documents.get(path)?.dirty) })
  try {
    return await leave()
  } catch (error) {
    // The folder stays open, so send the unsaved text of its tabs to main again.
    documents.syncAll()
    throw error
  }
}

/**
 * Opens a folder or a `.code-workspace` file after asking about unsaved files.
 * @returns false if the user cancelled, or another window shows it, which then has the focus
 */
export async function openFolder(path: string): Promise<boolean> {
  const open = () => request('workspace.open', { path })
  const workspace = currentWorkspace()
  if (workspace && (path === workspace.root || path === workspace.multiRoot?.file)) {
    await open()
    return true
  }
  // Before leaving this folder, because that discards unsaved text.
  if (await request('window.focusFolder', { path })) return false
  const showSteps = followToFirstFolder()
  const opened = await leaveFolder(open)
  await showSteps()
  return opened !== undefined
}

/** Opens the sample folder, and creates it if there is none. */
async function openSample(): Promise<void> {
  await openFolder(await request('sample.create', {}))
}

/** Closes the folder after asking about unsaved files. */
async function closeFolder(): Promise<void> {
  // Before leaving this folder, because that discards unsaved text.
  if (!(await request('window.focusFolder', { path: null }))) await leaveFolder(() => request('workspace.close', {}))
}

/** Opens a recent folder or workspace. If it no longer exists, offers to remove it from the list. */
export async function openRecent(path: string): Promise<void> {
  const [located] = await request('files.locate', { paths: [path] })
  if (located?.kind === (isWorkspaceFile(path) ? 'file' : 'folder')) return void (await openFolder(path))
  notify(
    'warning',
    located?.kind === 'file' ? `${displayPath(path)} is no longer a folder.` : `${displayPath(path)} no longer exists.`,
    {
      detail: 'It may have been moved, renamed or deleted.',
      actions: [{ label: 'Remove from recent folders', run: () => attempt(() => forgetRecent(path)) }],
    },
  )
}

const openQuestion = { title: 'Open folder', action: 'Open this folder' }

/** Opens the folder of the scripted tour and starts the tour in the chat. */
async function startTour(): Promise<void> {
  const tour = await leaveFolder(() => request('tour.start', {}))
  if (tour) runCommand('chat.startTour', tour)
}

/** Registers the commands that open and close folders. @returns a function that unregisters them */
export function registerFolders(): () => void {
  const stops = [
    handleCommand('workspace.open', () => pickFolder({ ...openQuestion, choose: openFolder })),
    // The desktop menu passes the path of a recent folder.
    handleCommand('workspace.openRecent', (path) => openRecent(String(path))),
    handleCommand('window.new', () => request('window.open', {})),
    handleCommand('workspace.openInNewWindow', () =>
      pickFolder({ ...openQuestion, choose: (path) => request('window.open', { path }) }),
    ),
    handleCommand('workspace.close', closeFolder),
    handleCommand('tour.start', startTour),
    handleCommand('sample.open', openSample),
  ]
  return () => stops.forEach((stop) => stop())
}

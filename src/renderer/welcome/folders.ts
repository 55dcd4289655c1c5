import { create } from 'zustand'
import { request } from '../bridge.ts'
import { documents } from '../editor/session.ts'
import { settleUnsaved } from '../editor/actions.ts'
import { currentShell, currentWorkspace } from '../workbench/app.ts'
import { handleCommand, runCommand } from '../workbench/commands.ts'

/** Whether the window's own folder picker is open (browser shell). */
export const useFolderPicker = create<{ open: boolean }>(() => ({ open: false }))

/** Shows another folder; unsaved files of the present one are asked about first. */
export async function openFolder(path: string): Promise<void> {
  if (path !== currentWorkspace()?.root && !(await settleUnsaved(documents.dirtyPaths()))) return
  await request('workspace.open', { path })
}

/** The system's dialog in Electron, the window's own elsewhere. */
async function pickFolder(): Promise<void> {
  if (currentShell() !== 'electron') return useFolderPicker.setState({ open: true })
  const path = await request('workspace.pick', {})
  if (path !== null) await openFolder(path)
}

/** The scripted tour in its own folder; the chat then plays it. */
export async function startTour(): Promise<void> {
  if (!(await settleUnsaved(documents.dirtyPaths()))) return
  const tour = await request('tour.start', {})
  runCommand('chat.startTour', tour)
}

/** @returns unregister */
export function registerFolders(): () => void {
  const stops = [
    handleCommand('workspace.open', pickFolder),
    handleCommand('workspace.close', async () => {
      if (await settleUnsaved(documents.dirtyPaths())) await request('workspace.close', {})
    }),
    handleCommand('tour.start', startTour),
  ]
  return () => stops.forEach((stop) => stop())
}

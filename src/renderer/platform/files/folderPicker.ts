import { create } from 'zustand'
import { currentHost, isRemote } from '../appState.ts'
import { request } from '../bridge/bridge.ts'

/** What a folder is chosen for. */
export interface FolderQuestion {
  title: string
  /** Label of the button. */
  action: string
  /** Rejects if the folder cannot be used. The picker then stays open with the reason. */
  choose(path: string): Promise<unknown>
}

/** The open folder picker of the browser host and of other machines. */
export const useFolderPicker = create<{ question: FolderQuestion | null }>(() => ({ question: null }))

/** Opens the system's folder dialog on the desktop, or the folder picker in the browser and for other machines. */
export async function pickFolder(question: FolderQuestion): Promise<void> {
  if (currentHost() !== 'electron' || isRemote()) return useFolderPicker.setState({ question })
  const path = await request('workspace.pick', {})
  if (path !== null) await question.choose(path)
}

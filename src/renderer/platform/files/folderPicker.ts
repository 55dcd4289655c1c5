import { create } from 'zustand'
import { currentHost, isRemote } from '../appState.ts'
import { request } from '../bridge/bridge.ts'

/** What a folder or a workspace file is chosen for. */
export interface FolderQuestion {
  title: string
  /** Label of the button. */
  action: string
  /** The files of which one is chosen instead of a folder. */
  file?: 'workspaces' | 'all'
  /** The file that is saved in the folder: its suggested folder and name. */
  target?: { folder: string; name: string }
  /** Whether the folder is added to the workspace. */
  adding?: true
  /**
   * Rejects if the path cannot be used. The picker then stays open with the reason.
   * @param fromSystem whether the system's dialog has asked, also about replacing a file
   */
  choose(path: string, fromSystem?: boolean): Promise<unknown>
}

/** The open picker of the browser host and of other machines. */
export const useFolderPicker = create<{ question: FolderQuestion | null }>(() => ({ question: null }))

/** Opens the system's dialog on the desktop, or the picker in the browser and for other machines. */
export async function pickFolder(question: FolderQuestion): Promise<void> {
  if (currentHost() !== 'electron' || isRemote()) return useFolderPicker.setState({ question })
  const path = await pickInSystem(question)
  if (path !== null) await question.choose(path, true)
}

function pickInSystem({ file, target, adding }: FolderQuestion): Promise<string | null> {
  if (file) return request('workspace.pickFile', file === 'all' ? { any: true } : {})
  if (!target) return request('workspace.pick', adding ? { adding } : {})
  return request('workspace.pickTarget', { suggested: `${target.folder.replace(/\/$/, '')}/${target.name}` })
}

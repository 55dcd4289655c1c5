import { create } from 'zustand'
import type { TrustChoice, TrustEffects } from '../../shared/files/folderTrust.ts'
import { request } from './bridge/bridge.ts'
import { confirm } from './confirm.ts'
import { currentWorkspace, refreshApp } from './appState.ts'

interface FolderTrustStore {
  /** What trust would turn on. Null while the dialog is closed. */
  reviewing: TrustEffects | null
}

export const useFolderTrust = create<FolderTrustStore>()(() => ({ reviewing: null }))

/** Opens the dialog that lists what trust turns on in the open folder. */
export async function reviewFolder(): Promise<void> {
  useFolderTrust.setState({ reviewing: await request('trust.effects', {}) })
}

export function closeFolderReview(): void {
  useFolderTrust.setState({ reviewing: null })
}

/** Stores the user's decision, applies it and closes the dialog. */
export async function decideFolderTrust(choice: TrustChoice): Promise<void> {
  await request('trust.decide', { choice })
  closeFolderReview()
  // The folder's prompt files and servers have changed too.
  await refreshApp()
}

/** Restricted folders in which the user has agreed to open terminals in this window. */
const agreed = new Set<string>()

/** Asks once per restricted folder before opening a terminal, because a shell may run files in the folder. */
export async function mayOpenTerminal(): Promise<boolean> {
  const workspace = currentWorkspace()
  if (!workspace?.restricted || agreed.has(workspace.root)) return true
  const choice = await confirm({
    title: 'Open a terminal in a restricted folder?',
    message:
      'You have not trusted this folder. Your shell, its plugins and Git may run files in the folder, such as .envrc or hooks.',
    choices: [{ id: 'open', label: 'Open terminal', variant: 'primary' }],
  })
  if (choice === 'open') agreed.add(workspace.root)
  return choice === 'open'
}

import { create } from 'zustand'
import { saveSettings, useApp } from '../platform/appState.ts'
import { on, onConnected } from '../platform/bridge/bridge.ts'
import { handleCommand, runCommand } from '../platform/commands.ts'
import { contributeEditorExtension } from '../platform/editor/editorExtensions.ts'
import { contributeLanguageFeatures } from '../platform/editor/languageFeatures.ts'
import { notify } from '../platform/notices.ts'

/** Why suggestions currently fail; null if they work. */
export const useCompletionProblem = create<{ problem: string | null }>(() => ({ problem: null }))

/** Turns inline completion on or off. Without a model, opens the settings. */
async function toggle(): Promise<void> {
  const completion = useApp.getState().state?.settings.completion
  if (!completion) return
  if (!completion.enabled && completion.model === null) {
    runCommand('settings.open')
    notify('info', 'Choose a completion model first.', {
      detail: 'It is in Settings, under Inline completion.',
    })
    return
  }
  await saveSettings({ completion: { ...completion, enabled: !completion.enabled } })
}

/** Registers inline completion. Its code loads together with Monaco. @returns a function that unregisters it */
export function registerCompletion(): () => void {
  const stops = [
    contributeLanguageFeatures(async () => (await import('./completionProvider.ts')).registerCompletionProvider()),
    contributeEditorExtension(async () => (await import('./followSeenCode.ts')).followSeenCode),
    handleCommand('completion.toggle', toggle),
    on('completion.problem', (state) => useCompletionProblem.setState(state)),
    onConnected(() => useCompletionProblem.setState({ problem: null })),
  ]
  return () => stops.forEach((stop) => stop())
}

import { saveSettings, useApp } from './appState.ts'
import { attempt } from './notices.ts'

/** Ends the first steps when the user keeps a change of the model for the first time. */
export function recordFirstKept(): void {
  const { state } = useApp.getState()
  if (state?.settings.firstSteps === 'show' && !state.workspace?.tour)
    attempt(() => saveSettings({ firstSteps: 'done' }))
}

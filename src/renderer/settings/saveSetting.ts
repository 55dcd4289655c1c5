import type { Settings } from '../../shared/settings/settings.ts'
import { saveSettings } from '../platform/appState.ts'
import { attempt } from '../platform/notices.ts'

/** Saves a change of the settings. Reports a failure as a notice. */
export function saveSetting(change: Partial<Settings>): void {
  attempt(() => saveSettings(change), 'The setting could not be saved')
}

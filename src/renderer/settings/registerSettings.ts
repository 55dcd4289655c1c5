import { handleCommand } from '../platform/commands.ts'
import { contributeLanguageFeatures } from '../platform/editor/languageFeatures.ts'
import { showSettings } from './shownSection.ts'

/**
 * Registers the command that shows the language servers, and adds the schemas of the settings to the editor, which load
 * together with Monaco.
 * @returns a function that unregisters them
 */
export function registerSettings(): () => void {
  const removeSchemas = contributeLanguageFeatures(async () => {
    const { registerSettingsSchemas } = await import('./settingsSchemas.ts')
    // Without the schemas, for example while disconnected, the text has no completion. The settings page tries again.
    await registerSettingsSchemas().catch(() => undefined)
  })
  const stop = handleCommand('settings.languageServers', () => showSettings('languages'))
  return () => {
    removeSchemas()
    stop()
  }
}

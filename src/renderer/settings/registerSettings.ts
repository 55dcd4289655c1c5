import { keybindingsFile } from '../../shared/files/userFiles.ts'
import { handleCommand } from '../platform/commands.ts'
import { contributeLanguageFeatures } from '../platform/editor/languageFeatures.ts'
import { previewTab } from '../platform/editor/tabsState.ts'
import { showTab } from '../platform/editor/tabsStore.ts'
import { showSettings } from './shownSection.ts'

/**
 * Registers the commands of settings, shortcuts and snippets, and the settings schemas, which load together with
 * Monaco.
 * @returns a function that unregisters them
 */
export function registerSettings(): () => void {
  const removeSchemas = contributeLanguageFeatures(async () => {
    const { registerSettingsSchemas } = await import('./settingsSchemas.ts')
    // Without schemas, for example while disconnected, the text has no completion. The settings page tries again.
    await registerSettingsSchemas().catch(() => undefined)
  })
  const stops = [
    removeSchemas,
    handleCommand('settings.languageServers', () => showSettings('languages')),
    handleCommand('keybindings.openJson', () => showTab(previewTab(keybindingsFile, 'userFile'))),
    handleCommand('snippets.configure', async () => (await import('./snippetFiles.ts')).configureSnippets()),
    handleCommand('settings.import', async () => (await import('./importSettings.ts')).importSettings()),
  ]
  return () => stops.forEach((stop) => stop())
}

import { contributeLanguageFeatures } from '../platform/editor/languageFeatures.ts'

/** Adds the schemas of the settings to the editor. They load together with Monaco. @returns unregister */
export function registerSettings(): () => void {
  return contributeLanguageFeatures(async () => {
    const { registerSettingsSchemas } = await import('./settingsSchemas.ts')
    // Without the schemas, for example while disconnected, the text has no completion. The settings page tries again.
    await registerSettingsSchemas().catch(() => undefined)
  })
}

import { contributeLanguageFeatures } from '../platform/editor/languageFeatures.ts'

/** Contributes the code index's providers to the editor. They load together with Monaco. @returns unregister */
export function registerSymbols(): () => void {
  return contributeLanguageFeatures(async () => (await import('./providers.ts')).registerSymbolProviders())
}

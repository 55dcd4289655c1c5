import { provideDocumentSymbols } from '../platform/editor/documentSymbols.ts'
import { contributeLanguageFeatures } from '../platform/editor/languageFeatures.ts'
import { outlineOf } from './codeRequests.ts'

/**
 * Contributes the code index's providers, which load together with Monaco, and the breadcrumbs' symbols.
 * @returns a function that unregisters them
 */
export function registerSymbols(): () => void {
  const stops = [
    contributeLanguageFeatures(async () => (await import('./providers.ts')).registerSymbolProviders()),
    provideDocumentSymbols(async (path) => (await outlineOf(path)).symbols),
  ]
  return () => stops.forEach((stop) => stop())
}

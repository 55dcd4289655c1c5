import { contributeLanguageFeatures } from '../platform/editor/languageFeatures.ts'
import { followLanguageServers } from '../platform/languages/languageStore.ts'
import { followProblems } from '../platform/languages/problemsStore.ts'

/**
 * Keeps the language servers' state current and contributes their providers, which load together with Monaco.
 * @returns a function that unregisters them
 */
export function registerLanguages(): () => void {
  const stops = [
    followLanguageServers(),
    followProblems(),
    contributeLanguageFeatures(async () => (await import('./languageProviders.ts')).registerLanguageProviders()),
  ]
  return () => stops.forEach((stop) => stop())
}

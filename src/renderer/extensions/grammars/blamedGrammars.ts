import type { ContributedGrammar } from '../../../shared/extensions/extensions.ts'

/**
 * Pure: the grammars that are not used after a text of one failed. Those that are injected into it, if there are any:
 * the text is tried without them before its own grammar is blamed. All grammars if the worker itself failed.
 */
export function blamedGrammars(grammars: readonly ContributedGrammar[], scopeName: string): string[] {
  if (scopeName === '') return grammars.map((each) => each.scopeName)
  const injected = grammars.filter(({ injectTo }) => injectTo.includes(scopeName)).map((each) => each.scopeName)
  return injected.length > 0 ? injected : [scopeName]
}

import { expect, it } from 'vitest'
import { blamedGrammars } from './blamedGrammars.ts'

it('a grammar is blamed only after the ones that are injected into it, and all are if the worker failed', () => {
  const grammar = (scopeName: string, injectTo: string[] = []) => ({
    extension: 'a.b',
    path: 'g.json',
    scopeName,
    injectTo,
    embeddedLanguages: {},
    tokenTypes: {},
    unbalancedBracketScopes: [],
  })
  const all = [grammar('source.a'), grammar('source.b'), grammar('todo', ['source.a'])]
  expect(blamedGrammars(all, 'source.a')).toEqual(['todo'])
  expect(blamedGrammars(all.slice(0, 2), 'source.a')).toEqual(['source.a'])
  expect(blamedGrammars(all, '')).toHaveLength(3)
})

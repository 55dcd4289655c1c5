import { expect, test } from 'vitest'
import { identifierWords } from '../index/words.ts'
import { nameScore } from './nameScore.ts'

const best = (query: string, names: readonly string[]) =>
  names
    .map((name) => ({ name, score: nameScore(name, query, query.toLowerCase()) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ name }) => name)

test('ranks exact before case-insensitive, prefix, word start, substring and subsequence matches', () => {
  expect(best('parse', ['reparse', 'pxaxrxsxe', 'parseAll', 'Parse', 'parse', 'unrelated'])).toEqual([
    'parse',
    'Parse',
    'parseAll',
    'reparse',
    'pxaxrxsxe',
  ])
  expect(best('gws', ['getWorkspaceStructure', 'bigWindows', 'gws_table'])).toEqual([
    'gws_table',
    'getWorkspaceStructure',
    'bigWindows',
  ])
})

test('matches word starts in all naming styles, optionally followed by more letters of a word', () => {
  for (const name of ['getWorkspaceStructure', 'get_workspace_structure', 'GetWorkspaceStructure']) {
    for (const query of ['gws', 'gWS', 'gwst', 'getws', 'gwstruct'])
      expect(nameScore(name, query, query.toLowerCase()), `${query} in ${name}`).toBeGreaterThan(690)
  }
})

test('does not match letters scattered over a long name', () => {
  expect(nameScore('createConversationStoreForEveryWorkspace', 'ctw', 'ctw')).toBeLessThan(400)
  expect(nameScore('aVeryLongNameWithManyLetters', 'aes', 'aes')).toBe(0)
})

test('splits a name into words', () => {
  expect(identifierWords('XMLHttpRequest2')).toEqual(['xml', 'http', 'request2'])
  expect(identifierWords('MAX_lines.count')).toEqual(['max', 'lines', 'count'])
})

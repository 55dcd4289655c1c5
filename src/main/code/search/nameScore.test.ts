import { expect, test } from 'vitest'
import { identifierWords, nameScore } from './nameScore.ts'

const best = (query: string, names: readonly string[]) =>
  names
    .map((name) => ({ name, score: nameScore(name, query, query.toLowerCase()) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ name }) => name)

test('exact comes before another case, a prefix, initials, a piece and letters in order', () => {
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

test('initials are found in every way of writing names, and may go on with the letters of a word', () => {
  for (const name of ['getWorkspaceStructure', 'get_workspace_structure', 'GetWorkspaceStructure']) {
    for (const query of ['gws', 'gWS', 'gwst', 'getws', 'gwstruct'])
      expect(nameScore(name, query, query.toLowerCase()), `${query} in ${name}`).toBeGreaterThan(690)
  }
})

test('letters strewn over a long name are no answer', () => {
  expect(nameScore('createConversationStoreForEveryWorkspace', 'ctw', 'ctw')).toBeLessThan(400)
  expect(nameScore('aVeryLongNameWithManyLetters', 'aes', 'aes')).toBe(0)
})

test('a name is cut into its words', () => {
  expect(identifierWords('XMLHttpRequest2')).toEqual(['xml', 'http', 'request2'])
  expect(identifierWords('MAX_lines.count')).toEqual(['max', 'lines', 'count'])
})

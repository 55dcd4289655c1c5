import { expect, test } from 'vitest'
import { createSuggestionCache } from './suggestionCache.ts'

const lines = Array.from({ length: 60 }, (_, at) => `const value${at} = ${at}\n`).join('')

test('an answer is continued while the user types inside it, even across lines', () => {
  const cache = createSuggestionCache()
  cache.add('m', 'a.ts', { before: `${lines}func`, after: '\n' }, { text: 'tion f() {\n  return 1\n}', replaces: 0 })
  const find = (typed: string) => cache.find('m', 'a.ts', { before: `${lines}func${typed}`, after: '\n' })?.text
  expect(find('')).toBe('tion f() {\n  return 1\n}')
  expect(find('tion f')).toBe('() {\n  return 1\n}')
  expect(find('tion f() {\n  ret')).toBe('urn 1\n}')
  expect(find('tion g')).toBeUndefined()
  // All of it was typed, so there is nothing to show.
  expect(find('tion f() {\n  return 1\n}')).toBeUndefined()
})

test('an answer at the start of a file is only used there', () => {
  const cache = createSuggestionCache()
  cache.add('m', 'a.ts', { before: '', after: '\n' }, { text: 'import a', replaces: 0 })
  expect(cache.find('m', 'a.ts', { before: 'imp', after: '\n' })?.text).toBe('ort a')
  expect(cache.find('m', 'a.ts', { before: `${lines}imp`, after: '\n' })).toBeUndefined()
})

test('an answer belongs to a model, a file and the text after the cursor', () => {
  const cache = createSuggestionCache()
  cache.add('m', 'a.ts', { before: lines, after: ')\n' }, { text: 'x', replaces: 0 })
  expect(cache.find('n', 'a.ts', { before: lines, after: ')\n' })).toBeUndefined()
  expect(cache.find('m', 'b.ts', { before: lines, after: ')\n' })).toBeUndefined()
  expect(cache.find('m', 'a.ts', { before: lines, after: '\n' })).toBeUndefined()
})

test('an empty answer is valid at its place only', () => {
  const cache = createSuggestionCache()
  cache.add('m', 'a.ts', { before: lines, after: '' }, { text: '', replaces: 0 })
  expect(cache.find('m', 'a.ts', { before: lines, after: '' })?.text).toBe('')
  expect(cache.find('m', 'a.ts', { before: `${lines}a`, after: '' })).toBeUndefined()
})

test('the oldest of 250 answers is forgotten first', () => {
  const cache = createSuggestionCache()
  for (let at = 0; at < 251; at += 1)
    cache.add('m', `${at}.ts`, { before: lines, after: '' }, { text: 'x', replaces: 0 })
  expect(cache.find('m', '0.ts', { before: lines, after: '' })).toBeUndefined()
  expect(cache.find('m', '1.ts', { before: lines, after: '' })?.text).toBe('x')
})

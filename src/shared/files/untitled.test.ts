import { expect, it } from 'vitest'
import { isUntitled, nextUntitledPath, untitledTitle } from './untitled.ts'

it('a new untitled text takes the lowest free number', () => {
  expect(nextUntitledPath(['a.txt', 'untitled:Untitled-1', 'untitled:Untitled-3'])).toBe('untitled:Untitled-2')
  expect(isUntitled(nextUntitledPath([]))).toBe(true)
  expect(isUntitled('untitled.txt')).toBe(false)
})

it.each([
  ['', 'Untitled-1'],
  ['\nsecond', 'Untitled-1'],
  ['----\n', 'Untitled-1'],
  ['  Größe: 3\nmore', 'Größe: 3'],
  [`${'word '.repeat(20)}`, 'word word word word word word word word…'],
])('the title of %j is %j', (text, title) => expect(untitledTitle('untitled:Untitled-1', text)).toBe(title))

it('search results have the title of their query', () => {
  const text = '# Query: total price\n\n2 matches in 1 file'
  expect(untitledTitle('untitled:Untitled-1', text, 'search-result')).toBe('Search: total price')
  expect(untitledTitle('untitled:Untitled-1', text, 'markdown')).toBe('# Query: total price')
})

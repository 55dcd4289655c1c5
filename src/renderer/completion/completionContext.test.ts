import { expect, test } from 'vitest'
import { canComplete, chunkAround, contextAt, continueSelected } from './completionContext.ts'

const lines = (count: number, text = (number: number) => `line ${number}`) => ({ count, line: text })

test('the context has at least 256 lines before the cursor and 64 after it', () => {
  const { before, after } = contextAt(lines(1000), 500, 3)
  expect(before.split('\n')[0]).toBe('line 193')
  expect(before).toMatch(/\nli$/)
  expect(after.split('\n')[0]).toBe('ne 500')
  expect(after).toMatch(/\nline 564$/)
})

test('the context keeps its first line while lines are added, so that the prompt cache stays valid', () => {
  const starts = new Set(
    Array.from({ length: 64 }, (_, added) => contextAt(lines(1000), 512 + added, 1).before.split('\n')[0]),
  )
  expect([...starts]).toEqual(['line 257'])
})

test('the context of a short file is the file', () => {
  expect(contextAt(lines(2), 2, 7)).toEqual({ before: 'line 1\nline 2', after: '' })
})

test('very long lines are cut on both sides of the cursor', () => {
  const { before, after } = contextAt(
    lines(1, () => 'x'.repeat(1_000_000)),
    1,
    500_001,
  )
  expect([before.length, after.length]).toEqual([40_000, 12_000])
})

test('nothing is suggested with more than eight characters after the cursor, or inside a word', () => {
  expect(canComplete('call(a', 7)).toBe(true)
  expect(canComplete('call();  ', 6)).toBe(true)
  expect(canComplete('call(first, second)', 6)).toBe(false)
  expect(canComplete('value', 3)).toBe(false)
})

test('a chunk of seen code is around a line', () => {
  expect(chunkAround(lines(100), 50, 4)).toBe('line 48\nline 49\nline 50\nline 51')
  expect(chunkAround(lines(2), 1, 4)).toBe('line 1\nline 2')
})

test('a suggestion appears over the list of completions only if it continues the selected entry', () => {
  expect(continueSelected('sole.log(1)', 'con', 'console')).toBe('console.log(1)')
  expect(continueSelected('st a = 1', 'con', 'console')).toBeNull()
})

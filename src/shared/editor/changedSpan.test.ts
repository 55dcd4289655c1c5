import { expect, test } from 'vitest'
import { changedSpan } from './changedSpan.ts'

test.each([
  ['abc', 'abc', { start: 3, oldEnd: 3, newEnd: 3 }],
  ['abc', 'axc', { start: 1, oldEnd: 2, newEnd: 2 }],
  ['', 'x', { start: 0, oldEnd: 0, newEnd: 1 }],
  ['aa', 'aaa', { start: 2, oldEnd: 2, newEnd: 3 }],
  ['aaa', 'a', { start: 1, oldEnd: 3, newEnd: 1 }],
])('%j to %j', (before, after, span) => expect(changedSpan(before, after)).toEqual(span))

test('finds a change at any position of a long text', () => {
  const text = 'abcdefg\n'.repeat(5_000)
  for (const at of [0, 1, 4095, 4096, 4097, 20_000, text.length - 4097, text.length - 1]) {
    expect(changedSpan(text, `${text.slice(0, at)}XY${text.slice(at + 1)}`)).toEqual({
      start: at,
      oldEnd: at + 1,
      newEnd: at + 2,
    })
  }
})

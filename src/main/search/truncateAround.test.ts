import { expect, test } from 'vitest'
import { truncateAround, utf16Index } from './truncateAround.ts'

test('a short line is unchanged', () => {
  expect(truncateAround('short', 3, 5)).toBe('short')
})

test('a long line keeps the text around the position, with an ellipsis for each omission', () => {
  const line = 'abcdefghijklmnopqrstuvwxyz'
  expect(truncateAround(line, 0, 8)).toBe('abcdefgh…')
  expect(truncateAround(line, 12, 8)).toBe('…klmnopqr…')
  expect(truncateAround(line, 25, 8)).toBe('…stuvwxyz')
})

test('surrogate pairs are not split', () => {
  const line = '😀'.repeat(20)
  for (let at = 0; at < line.length; at++) expect(truncateAround(line, at, 9).isWellFormed()).toBe(true)
})

test('a byte offset is converted to UTF-16 units', () => {
  const text = 'aé€😀z'
  for (const [index, char] of [
    [0, 'a'],
    [1, 'é'],
    [2, '€'],
    [3, '😀'],
    [5, 'z'],
  ] as const) {
    expect(utf16Index(text, Buffer.from(text.slice(0, index)).length)).toBe(index)
    expect(text.slice(index).startsWith(char)).toBe(true)
  }
})

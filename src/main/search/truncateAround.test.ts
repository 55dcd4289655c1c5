import { expect, test } from 'vitest'
import { cutAround, utf16Index } from './truncateAround.ts'

test('a short line stays as it is', () => {
  expect(cutAround('short', 3, 5)).toBe('short')
})

test('a long line keeps what surrounds the place, with a mark where something is missing', () => {
  const line = 'abcdefghijklmnopqrstuvwxyz'
  expect(cutAround(line, 0, 8)).toBe('abcdefgh…')
  expect(cutAround(line, 12, 8)).toBe('…klmnopqr…')
  expect(cutAround(line, 25, 8)).toBe('…stuvwxyz')
})

test('no character is cut in half', () => {
  const line = '😀'.repeat(20)
  for (let at = 0; at < line.length; at++) expect(cutAround(line, at, 9).isWellFormed()).toBe(true)
})

test('a byte offset is counted in UTF-16 units', () => {
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

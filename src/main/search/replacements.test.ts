import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { truncateAround, utf16Index } from './replacements.ts'
import type { TextQuery } from './search.ts'
import { call, searchIn } from './testing/searchIn.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder.remove())

/** Returns `line:column old>new` of every hit. */
async function replaced(text: string | Buffer, query: Omit<TextQuery, 'paths'>): Promise<string[]> {
  await writeTree(folder.root, { 'a.txt': text })
  const { matches } = await (await searchIn(folder.root)).text(query, call)
  return matches.flatMap(({ line, replacements = [] }) =>
    replacements.map(({ column, oldText, newText }) => `${line}:${column} ${oldText}>${newText}`),
  )
}

describe('replacements', () => {
  test('have every hit of a line, with columns in UTF-16 units', async () => {
    expect(await replaced('😀é foo foo\r\nx\r\nfoo', { pattern: 'foo', fixed: true, replacement: 'bar' })).toEqual([
      '1:5 foo>bar',
      '1:9 foo>bar',
      '3:1 foo>bar',
    ])
  })

  test('insert groups of the regular expression', async () => {
    const query = { pattern: '(\\w+)=(?<value>\\w+)' }
    expect(await replaced('a=b', { ...query, replacement: '$2_x=$1' })).toEqual(['1:1 a=b>b_x=a'])
    expect(await replaced('a=b', { ...query, replacement: '${value} $$ $& $0' })).toEqual(['1:1 a=b>b $ a=b a=b'])
    expect(await replaced('a=b', { ...query, replacement: '1\\n2\\t\\\\3' })).toEqual(['1:1 a=b>1\n2\t\\3'])
  })

  test('keep dollar signs that are no group', async () => {
    expect(await replaced('price', { pattern: 'price', replacement: '$cost ${cost} $' })).toEqual([
      '1:1 price>$cost ${cost} $',
    ])
    expect(await replaced('price', { pattern: 'price', fixed: true, replacement: '$1 \\n $&' })).toEqual([
      '1:1 price>$1 \\n $&',
    ])
  })

  test('do not touch line endings', async () => {
    expect(await replaced('ab\r\n', { pattern: 'x*', replacement: '-' })).toEqual(['1:1 >-', '1:2 >-', '1:3 >-'])
    expect(await replaced('ab\r\n', { pattern: '.*$', replacement: '-' })).toEqual(['1:1 ab>-'])
  })

  test('ignore the byte order mark', async () => {
    expect(await replaced('\u{feff}foo', { pattern: 'foo', replacement: 'bar' })).toEqual(['1:1 foo>bar'])
    const utf16 = Buffer.from('\u{feff}é foo', 'utf16le')
    expect(await replaced(utf16, { pattern: 'foo', replacement: 'bar' })).toEqual(['1:3 foo>bar'])
  })

  test('are empty for a line that is too long to preview', async () => {
    await writeTree(folder.root, { 'a.txt': `foo${'x'.repeat(2 ** 20)}\nfoo\n` })
    const { matches } = await (await searchIn(folder.root)).text({ pattern: 'foo', replacement: 'bar' }, call)
    expect(matches.map(({ replacements }) => replacements?.length)).toEqual([0, 1])
  })
})

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

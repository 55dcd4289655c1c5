import { expect, test } from 'vitest'
import { parseBlocks } from './searchReplace.ts'

const conflict = '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n'
const block = (
  search: string,
  replace: string,
  [open, mid, close]: readonly string[] = ['<<<<<<< SEARCH', '=======', '>>>>>>> REPLACE'],
) => `${open}\n${search}${mid}\n${replace}${close}\n`

test('rejects a separator inside either text, and explains how to write it', () => {
  for (const patch of [block(conflict, 'b\n'), block('b\n', conflict), block('Title\n=======\n', 'x\n')]) {
    expect(() => parseBlocks(patch)).toThrow(/2 lines of "=" \(\d, \d\), any of which could separate/)
  }
})

test('accepts longer marks for a text that contains the usual ones', () => {
  const marks = ['<<<<<<<<<<< SEARCH', '===========', '>>>>>>>>>>> REPLACE']
  expect(parseBlocks(block(conflict, 'b\n', marks))).toMatchObject([{ search: conflict, replace: 'b\n' }])
  const inner = block('a\n', 'b\n')
  expect(parseBlocks(block(inner, 'c\n', marks) + block('d\n', '', marks))).toMatchObject([
    { search: inner, replace: 'c\n' },
    { search: 'd\n', replace: '' },
  ])
})

test('a line with fewer "=" signs than the marks is text', () => {
  expect(parseBlocks(block('Title\n=====\n', 'x\n'))).toMatchObject([{ search: 'Title\n=====\n', replace: 'x\n' }])
})

test('accepts marks of a wrong length if they are unambiguous', () => {
  expect(parseBlocks(block('a\n', 'b\n', ['<<<<<< SEARCH', '========', '>>>>>>> REPLACE']))).toMatchObject([
    { search: 'a\n', replace: 'b\n' },
  ])
})

test('rejects a closing mark inside the text', () => {
  expect(() => parseBlocks(block('a\n', 'x\n>>>>>>> REPLACE\ny\n'))).toThrow(/closes no block/)
  expect(() => parseBlocks(block('a\n<<<<<<< SEARCH\n', 'b\n'))).toThrow(/before the previous one is closed/)
})

test('accepts the marks of other tools', () => {
  expect(parseBlocks(block('a\n', 'b\n', ['------- SEARCH', '=======', '+++++++ REPLACE']))).toMatchObject([
    { search: 'a\n', replace: 'b\n' },
  ])
  expect(parseBlocks(block('a\n', 'b\n', ['<<<<<<< ORIGINAL', '=======', '>>>>>>> UPDATED']))).toMatchObject([
    { search: 'a\n', replace: 'b\n' },
  ])
  expect(parseBlocks(block(':start_line:12\n-------\na\n', 'b\n'))).toMatchObject([
    { search: 'a\n', replace: 'b\n', startLine: 12 },
  ])
})

test('the line above a block or its fence can name its file', () => {
  expect(parseBlocks(`Here:\nsrc/a.ts\n\`\`\`ts\n${block('a\n', 'b\n')}${block('c\n', 'd\n')}\`\`\``)).toMatchObject([
    { above: 'src/a.ts', at: 4 },
    { at: 9 },
  ])
})

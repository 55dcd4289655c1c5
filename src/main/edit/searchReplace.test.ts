import { expect, test } from 'vitest'
import { parseBlocks } from './searchReplace.ts'

const conflict = '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n'
const block = (
  search: string,
  replace: string,
  [open, mid, close]: readonly string[] = ['<<<<<<< SEARCH', '=======', '>>>>>>> REPLACE'],
) => `${open}\n${search}${mid}\n${replace}${close}\n`

test('a separator inside the text to find, or to put there, is refused with the way out', () => {
  for (const patch of [block(conflict, 'b\n'), block('b\n', conflict), block('Title\n=======\n', 'x\n')]) {
    expect(() => parseBlocks(patch)).toThrow(/2 lines of "=" \(\d, \d\), and any of them could separate/)
  }
})

test('longer marks separate a text that has the usual ones', () => {
  const marks = ['<<<<<<<<<<< SEARCH', '===========', '>>>>>>>>>>> REPLACE']
  expect(parseBlocks(block(conflict, 'b\n', marks))).toMatchObject([{ search: conflict, replace: 'b\n' }])
  const inner = block('a\n', 'b\n')
  expect(parseBlocks(block(inner, 'c\n', marks) + block('d\n', '', marks))).toMatchObject([
    { search: inner, replace: 'c\n' },
    { search: 'd\n', replace: '' },
  ])
})

test('a line of fewer "=" signs than the marks have is text', () => {
  expect(parseBlocks(block('Title\n=====\n', 'x\n'))).toMatchObject([{ search: 'Title\n=====\n', replace: 'x\n' }])
})

test('marks that a model counted wrong are read where nothing else can be meant', () => {
  expect(parseBlocks(block('a\n', 'b\n', ['<<<<<< SEARCH', '========', '>>>>>>> REPLACE']))).toMatchObject([
    { search: 'a\n', replace: 'b\n' },
  ])
})

test('a closing mark inside the text is refused', () => {
  expect(() => parseBlocks(block('a\n', 'x\n>>>>>>> REPLACE\ny\n'))).toThrow(/closes no block/)
  expect(() => parseBlocks(block('a\n<<<<<<< SEARCH\n', 'b\n'))).toThrow(/before the previous one is closed/)
})

test('the marks of other systems', () => {
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

test('the line above a block, behind a fence or not, may name its file', () => {
  expect(parseBlocks(`Here:\nsrc/a.ts\n\`\`\`ts\n${block('a\n', 'b\n')}${block('c\n', 'd\n')}\`\`\``)).toMatchObject([
    { above: 'src/a.ts', at: 4 },
    { at: 9 },
  ])
})

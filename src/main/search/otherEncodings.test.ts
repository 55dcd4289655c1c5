import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Encoding } from '../../shared/files/encodings.ts'
import { encodeBytes } from '../base/textBytes.ts'
import { temporaryFolder, writeTree } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createEncodingLookup, createFileEncodings } from '../workspace/fileEncodings.ts'
import { createSearch, type TextQuery, type TextResult } from './search.ts'
import { call } from './testing/searchIn.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const dirty: { path: string; text: string }[] = []
const search = async (query: TextQuery): Promise<TextResult> => {
  const workspace = await openWorkspace(folder.root)
  const encodings = createFileEncodings({ ofSettings: () => 'utf8', ofFolder: () => Promise.resolve(undefined) })
  const encodingOf = createEncodingLookup(workspace, encodings)
  return createSearch(workspace, { encodingOf, dirtyBuffers: () => dirty }).text(query, call)
}
const found = async (query: TextQuery): Promise<string[]> =>
  (await search(query)).matches.map((match) => `${match.path}:${match.line}:${match.column} ${match.text}`)
const put = (name: string, text: string, encoding: Encoding): Promise<void> =>
  writeFile(path.join(folder.root, name), encodeBytes(text, encoding) ?? '')

beforeEach(async () => {
  folder = await temporaryFolder()
  dirty.length = 0
  await put('latin.c', 'int a;\r\n/* Größe der Fläche */\r\n', 'windows1252')
  await put('gbk.c', '// 这是一个简单的测试文件 size\n', 'gbk')
  await put('sjis.c', '// これはテストです size\n', 'shiftjis')
  await put('korean.c', '// 이것은 테스트 파일입니다\n', 'euckr')
  await put('wide.txt', 'naïve Größe\r\nsize\r\n', 'utf16lenobom')
  await writeTree(folder.root, { 'utf8.c': '// Größe 测试 size\n' })
  await writeFile(path.join(folder.root, 'data.bin'), gzipSync('Größe size'.repeat(200)))
})
afterEach(() => folder.remove())

test('text is found in files of every encoding, with its line and column', async () => {
  expect(await found({ pattern: 'Größe' })).toEqual([
    'latin.c:2:4 /* Größe der Fläche */',
    'utf8.c:1:4 // Größe 测试 size',
    'wide.txt:1:7 naïve Größe',
  ])
  expect(await found({ pattern: '测试' })).toEqual([
    'gbk.c:1:11 // 这是一个简单的测试文件 size',
    'utf8.c:1:10 // Größe 测试 size',
  ])
  expect(await found({ pattern: 'テスト', fixed: true })).toEqual(['sjis.c:1:7 // これはテストです size'])
  expect(await found({ pattern: '파일' })).toEqual(['korean.c:1:12 // 이것은 테스트 파일입니다'])
})

test('letters of ASCII and classes match in them too, each line once', async () => {
  const { matches, total, files, filesSearched } = await search({ pattern: 'size' })
  expect(matches.map(({ path: file }) => file)).toEqual(['gbk.c', 'sjis.c', 'utf8.c', 'wide.txt'])
  expect({ total, files, filesSearched }).toEqual({ total: 4, files: 4, filesSearched: 7 })
  expect(await found({ pattern: String.raw`Fl\wche` })).toEqual(['latin.c:2:14 /* Größe der Fläche */'])
  expect(await found({ pattern: 'größe', caseSensitive: false, paths: ['latin.c'] })).toHaveLength(1)
})

test('context and replacements are text', async () => {
  const { matches } = await search({ pattern: 'Fläche', replacement: 'Höhe', context: 1, paths: ['latin.c'] })
  expect(matches[0]).toMatchObject({
    before: ['int a;'],
    replacements: [{ column: 14, oldText: 'Fläche', newText: 'Höhe' }],
  })
})

test('unsaved text and globs decide as for other files', async () => {
  dirty.push({ path: 'latin.c', text: 'Höhe\n' })
  expect(await found({ pattern: 'Größe|Höhe', globs: ['*.c'] })).toEqual([
    'latin.c:1:1 Höhe',
    'utf8.c:1:4 // Größe 测试 size',
  ])
})

test('a maximum of results counts the files of other encodings', async () => {
  const { matches, total, truncated } = await search({ pattern: 'size', maxResults: 2 })
  expect([matches.length, total, truncated]).toEqual([2, 4, true])
})

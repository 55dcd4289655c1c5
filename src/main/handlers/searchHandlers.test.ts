import { afterEach, beforeEach, expect, test } from 'vitest'
import { requests } from '../../shared/bridge/protocol.ts'
import { createFileNameSearch } from '../search/fileNameSearch.ts'
import { createSearch } from '../search/search.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { createFileRules } from '../workspaceServices/fileRules.ts'
import { createSearchHandlers } from './searchHandlers.ts'

const { signal } = new AbortController()
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder({
    'src/a.ts': 'let foo = 1\nfoo.bar\n',
    'src/b.md': 'FOO\nfoox\n',
    'src/a.test.ts': 'foo\n',
  })
})
afterEach(() => folder.remove())

async function handlers(exclude: Record<string, boolean> = {}): Promise<ReturnType<typeof createSearchHandlers>> {
  const workspace = await openWorkspace(folder.root)
  const services = {
    search: createSearch(workspace),
    fileNames: createFileNameSearch(workspace),
    fileRules: createFileRules(() => settingsSchema.parse({ files: { exclude } }), {
      own: async () => null,
      vsCode: async () => null,
    }),
  }
  return createSearchHandlers(() => services)
}

async function search(
  params: Record<string, unknown>,
): Promise<{ places: string[]; total: number; truncated: boolean }> {
  const { matches, ...rest } = await (
    await handlers()
  )['search.text'](requests['search.text'].params.parse(params), signal)
  return { places: matches.map(({ path, line }) => `${path}:${line}`), ...rest }
}

test('a query is literal and case-insensitive by default', async () => {
  expect((await search({ query: 'foo.' })).places).toEqual(['src/a.ts:2'])
  expect((await search({ query: 'foo.', regex: true })).places).toEqual(['src/a.ts:1', 'src/a.ts:2', 'src/b.md:2'])
  expect((await search({ query: 'FOO', caseSensitive: true })).places).toEqual(['src/b.md:1'])
  expect((await search({ query: 'foo', wholeWord: true, include: '*.md' })).places).toEqual(['src/b.md:1'])
})

test('include accepts several globs and exclusions', async () => {
  expect((await search({ query: 'foo', include: 'src/*.ts, !*.test.ts' })).places).toEqual(['src/a.ts:1', 'src/a.ts:2'])
})

test('exclude leaves out files', async () => {
  expect((await search({ query: 'foo', exclude: '*.md, !*.test.ts' })).places).toEqual(['src/a.ts:1', 'src/a.ts:2'])
})

test('search and quick open leave out what files.exclude hides', async () => {
  const { 'search.text': text, 'files.find': find } = await handlers({ '**/*.md': true, '**/*.test.ts': true })
  const { matches } = await text(requests['search.text'].params.parse({ query: 'foo' }), signal)
  expect(matches.map(({ path }) => path)).toEqual(['src/a.ts', 'src/a.ts'])
  expect(await find({ query: 'a', limit: 9 }, signal)).toEqual(['src/a.ts'])
  expect(await find({ query: '', limit: 1 }, signal)).toEqual(['src/a.ts'])
})

test('beyond the limit, the total counts all matches', async () => {
  expect(await search({ query: 'foo', limit: 1 })).toMatchObject({ places: { length: 1 }, total: 5, truncated: true })
})

test('an invalid expression or glob returns an error', async () => {
  await expect(search({ query: '(', regex: true })).rejects.toMatchObject({ code: 'invalid_pattern' })
  await expect(search({ query: 'x', include: '[' })).rejects.toMatchObject({ code: 'invalid_pattern' })
})

test('quick open receives file names, best match first', async () => {
  expect(await (await handlers())['files.find']({ query: 'a', limit: 2 }, signal)).toEqual([
    'src/a.ts',
    'src/a.test.ts',
  ])
})

test('without a folder, searches fail', async () => {
  const none = createSearchHandlers(() => null)
  await expect(none['files.find']({ query: 'a', limit: 2 }, signal)).rejects.toMatchObject({ code: 'no_workspace' })
  await expect(none['search.text'](requests['search.text'].params.parse({ query: 'a' }), signal)).rejects.toMatchObject(
    { code: 'no_workspace' },
  )
})

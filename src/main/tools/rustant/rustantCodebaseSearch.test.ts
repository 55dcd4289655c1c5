import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, test } from 'vitest'
import type { CodeIndex } from '../../code/codeIndex.ts'
import { expectFailure } from '../../workspace/testing/disk.ts'
import {
  fakeEditor,
  runTool,
  temporaryFolder,
  testContext,
  writeTree,
  type FakeEditor,
  type TestContext,
} from '../testing/toolContext.ts'
import { codebaseSearch } from './rustantCodebaseSearch.ts'
import { openIndex } from '../../testing/indexedFolder.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let editor: FakeEditor
let code: CodeIndex
let context: TestContext

async function open(watched: boolean): Promise<void> {
  const services = await openIndex(folder.root, data.root, editor, watched)
  code = services.code
  context = await testContext(folder.root, { ...services, editor })
}

beforeEach(async () => {
  folder = await temporaryFolder({
    '.git/config': '',
    '.gitignore': 'out/\n',
    'out/sweeper.ts': 'removeExpiredFiles()\n',
    'picture.png': Buffer.from([0, 1, 2, 3]),
    'src/cleanup.ts':
      '/** Keeps the cache small. */\nexport class Cleanup {\n  /** Deletes what nobody opened for a month. */\n  removeExpiredFiles(): void {\n    unlink(oldest)\n  }\n}\nexport const EXPIRY_DAYS = 30\n',
    'src/http_client.py': 'def fetch_page(url):\n    """Downloads a page."""\n    return get(url)\n',
    'src/cleanup.test.ts': "test('removeExpiredFiles removes expired files', () => removeExpiredFiles())\n",
    'deploy/nightly.zig': '// drops stale sessions at night\nfn drop_sessions() void {}\n',
    'docs/guide.md': '# Guide\n\nPages are downloaded by the client.\n',
  })
  data = await temporaryFolder()
  editor = fakeEditor()
  await open(true)
  await expect.poll(async () => (await code.status()).total).toBeGreaterThan(0)
  await expect.poll(async () => (await code.status()).state).toBe('ready')
})
afterEach(async () => {
  await code.dispose()
  await Promise.all([folder.remove(), data.remove()])
})

const search = async (args: Record<string, unknown>) => (await runTool(codebaseSearch, args, context)).text
const places = async (args: Record<string, unknown>) =>
  [...(await search(args)).matchAll(/^(\S+):(\d+)-\d+/gm)].map(([, file, line]) => `${file}:${line}`)

it('finds a block by words of its name, split or joined, and shows location, score, symbol and the relevant lines', async () => {
  const text = await search({ query: 'where are expired files removed?' })
  expect(text).toMatch(/^src\/cleanup\.ts:1-7 \(score [\d.]+, class Cleanup\)\n {2}2: export class Cleanup \{\n/)
  expect(text).toContain('  4: removeExpiredFiles(): void {')
  expect(await places({ query: 'removeExpiredFiles' })).toEqual(['src/cleanup.ts:1', 'src/cleanup.test.ts:1'])
  expect((await places({ query: 'FETCH page' }))[0]).toBe('src/http_client.py:1')
})

it('finds by a comment, in languages without a grammar, and in documents', async () => {
  expect((await places({ query: 'nobody opened' }))[0]).toBe('src/cleanup.ts:1')
  expect((await places({ query: 'stale sessions' }))[0]).toBe('deploy/nightly.zig:1')
  expect(await places({ query: 'downloading pages' })).toEqual(['src/http_client.py:1', 'docs/guide.md:1'])
})

it('restricts the search to a kind, and to a language by name or extension', async () => {
  expect(await places({ query: 'page client', filter: 'function' })).toEqual(['src/http_client.py:1'])
  expect(await places({ query: 'page client', language: 'markdown' })).toEqual(['docs/guide.md:1'])
  expect(await places({ query: 'expired', language: '.ts', filter: 'classes' })).toEqual(['src/cleanup.ts:1'])
  expect(await places({ query: 'expiry', filter: 'const' })).toEqual(['src/cleanup.ts:8'])
  expect(await search({ query: 'expired', language: 'python' })).toBe(
    'Nothing in python files contains a word of "expired".\nNext: Omit `filter` and `language`, or use other words.',
  )
})

it('states that there are more symbols than were searched', async () => {
  expect(await search({ query: 'expiry', filter: 'const' })).not.toContain('at least')
  const lines = Array.from({ length: 1_100 }, (_, index) => `export const expiryLimit${index} = ${index}\n`)
  await writeTree(
    folder.root,
    Object.fromEntries(
      [0, 1, 2, 3].map((part) => [`src/limits${part}.ts`, lines.slice(part * 275, part * 275 + 275).join('')]),
    ),
  )
  code.filesChanged(
    [0, 1, 2, 3].map((part) => `src/limits${part}.ts`),
    true,
  )
  await expect
    .poll(() => search({ query: 'expiry', filter: 'const' }))
    .toMatch(/shown of at least 1,000 symbols with these words; only the first 1,000 were searched/)
})

it('searches the unsaved text of a tab, and the text on disk once the tab is closed', async () => {
  editor.tabs.set('docs/guide.md', { text: '# Guide\n\nZeppelins fly.\n', dirty: true })
  expect(await places({ query: 'zeppelins' })).toEqual(['docs/guide.md:1'])
  expect(await search({ query: 'zeppelins' })).toContain('3: Zeppelins fly.')
  editor.tabs.delete('docs/guide.md')
  expect(await places({ query: 'zeppelins' })).toEqual([])
})

it('does not return text that was changed or deleted on disk', async () => {
  await writeFile(path.join(folder.root, 'deploy/nightly.zig'), '// counts visitors\n')
  await rm(path.join(folder.root, 'docs/guide.md'))
  expect(await places({ query: 'stale sessions' })).toEqual([])
  expect(await places({ query: 'downloading pages' })).toEqual(['src/http_client.py:1'])
})

it('excludes ignored and binary files', async () => {
  expect(await places({ query: 'sweeper' })).toEqual([])
  expect(await code.passages({ question: 'picture png', limit: 5 }, context.signal)).toEqual([])
})

it('pages contain all blocks in one order: a page ends with a complete block, and a larger page starts with the same blocks', async () => {
  await writeTree(
    folder.root,
    Object.fromEntries(
      Array.from({ length: 130 }, (_, at) => [`wide/w${at}.txt`, `gargoyle ${at} ${'stone '.repeat(60)}\n`.repeat(6)]),
    ),
  )
  await code.dispose()
  await open(true)
  await expect.poll(async () => (await code.status()).state).toBe('ready')
  const files = (text: string) => [...text.matchAll(/^(\S+):\d+-\d+/gm)].map(([, file]) => file)
  const first = await search({ query: 'gargoyle stone' })
  expect(files(first)).toHaveLength(20)
  expect(first).toContain('(There is more: next_offset 20. Call again with `offset` 20.)')
  const most = await search({ query: 'gargoyle stone', limit: 100 })
  expect(files(most).length).toBeGreaterThan(20)
  expect(files(most).slice(0, 20)).toEqual(files(first))
  expect(Buffer.byteLength(most)).toBeLessThan(51_200)
  const all: (string | undefined)[] = []
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const text = await search({ query: 'gargoyle stone', limit: 100, offset })
    all.push(...files(text))
    const next = /next_offset (\d+)/.exec(text)?.[1]
    offset = next === undefined ? undefined : Number(next)
  }
  expect(new Set(all).size).toBe(130)
  expect(all).toHaveLength(130)
  expect(await search({ query: 'gargoyle stone', offset: 500 })).toBe(
    'There are 130 blocks, so offset 500 is out of range.',
  )
})

test('the view has the most relevant line of each block', async () => {
  const { view } = await runTool(codebaseSearch, { query: 'removeExpiredFiles', language: 'typescript' }, context)
  expect(view).toMatchObject({
    kind: 'matches',
    total: 2,
    truncated: false,
    matches: [{ path: 'src/cleanup.ts', line: 4, text: '  removeExpiredFiles(): void {' }, { line: 1 }],
  })
})

it('searches files that mention the words while the index is being built, with a note', async () => {
  await code.dispose()
  await writeTree(
    folder.root,
    Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `many/file${index}.ts`,
        `export function filler${index}() { return ${index} }\n`,
      ]),
    ),
  )
  await data.remove()
  data = await temporaryFolder()
  await open(true)
  const text = await search({ query: 'fetch page' })
  expect(text).toContain('src/http_client.py:1-3')
  expect(text).toMatch(
    /\(The index is still being built: \d+ of \d+ files\. Files that mention the words were read directly/,
  )
})

it.each([
  [{ query: '  ?! ' }, 'invalid_arguments', 'The query contains no words of two letters or more.'],
  [{ query: 'page', filter: 'klass' }, 'invalid_arguments', 'did you mean "class"?'],
  [{ query: 'page', filter: 'import' }, 'invalid_arguments', 'Unknown kind of block "import"'],
  [{ query: 'page', language: 'pythn' }, 'invalid_arguments', 'did you mean "python"?'],
])('refuses %j', async (args, errorCode, message) => {
  expect((await expectFailure(runTool(codebaseSearch, args, context), errorCode)).message).toContain(message)
})

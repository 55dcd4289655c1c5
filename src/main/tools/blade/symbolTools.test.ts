import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
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
import type { Tool } from '../common/toolDefinition.ts'
import { getProjectIndexChunk } from './getProjectIndexChunk.ts'
import { getProjectIndexOverview } from './getProjectIndexOverview.ts'
import { symbolGraph } from './symbolGraph.ts'
import { symbolOutline } from './symbolOutline.ts'
import { symbolResolve } from './symbolResolve.ts'
import { symbolSearch } from './bladeSymbolSearch.ts'
import { openIndex } from '../../testing/indexedFolder.ts'

const files = {
  'src/users.ts': `import { hash } from './hash'
/** Keeps users. */
export class UserStore {
  private users: User[] = []
  /** Adds one. */
  add(user: User): void { this.check(user); this.users.push(user) }
  check(user: User): boolean { return hash(user.name) !== '' }
}
export interface User { name: string }
export function createUser(name: string): User
export function createUser(name: string, store?: UserStore): User {
  const user = { name }
  new UserStore().add(user)
  return user
}
`,
  'src/hash.ts': 'export function hash(text: string): string { return text }\n',
  'src/index.ts':
    "import { createUser as make } from './users'\nexport { UserStore } from './users'\nexport const first = make('Ada')\nfunction hash() {}\nhash()\n",
  'tools/legacy.py':
    'from helpers import hash_text\nclass UserStore:\n    def add(self, user):\n        return hash_text(user)\n',
  'tools/helpers.py': 'def hash_text(text):\n    """Hashes a text."""\n    return text\n',
  'notes.txt': 'createUser is here too\n',
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let editor: FakeEditor
let code: CodeIndex
let context: TestContext
let notices: string[]

async function open(watched = false): Promise<void> {
  notices = []
  const services = await openIndex(folder.root, data.root, editor, watched, (message) => notices.push(message))
  code = services.code
  context = await testContext(folder.root, { ...services, editor })
}
beforeEach(async () => {
  folder = await temporaryFolder(files)
  data = await temporaryFolder()
  editor = fakeEditor()
  await open()
})
afterEach(async () => {
  await code.dispose()
  await Promise.all([folder.remove(), data.remove()])
})

const answerSchema = z.looseObject({
  symbols: z.array(z.looseObject({ symbol_id: z.string(), name: z.string(), kind: z.string() })).default([]),
  incoming: z.array(z.looseObject({ at: z.string(), match: z.string(), symbol_id: z.string().optional() })).default([]),
  outgoing: z.array(z.looseObject({ at: z.string(), match: z.string(), symbol_id: z.string().optional() })).default([]),
})
const ask = async (tool: Tool, args: Record<string, unknown>) =>
  answerSchema.parse(JSON.parse((await runTool(tool, args, context)).text))
const ids = async (args: Record<string, unknown>) =>
  (await ask(symbolSearch, args)).symbols.map(({ symbol_id }) => symbol_id)
const ready = () => expect.poll(async () => (await code.status()).state).toBe('ready')

describe('symbol_search', () => {
  test('finds by exact name, prefix, initials and subsequence, best first', async () => {
    await ready()
    expect((await ids({ query: 'hash' })).slice(0, 3)).toEqual([
      'src/hash.ts::hash#function',
      'src/index.ts::hash#function',
      'tools/helpers.py::hash_text#function',
    ])
    expect((await ids({ query: 'create' }))[0]).toBe('src/users.ts::createUser#function')
    expect((await ids({ query: 'cUs' }))[0]).toBe('src/users.ts::createUser#function')
    expect(await ids({ query: 'crtusr' })).toEqual([
      'src/users.ts::createUser#function',
      'src/users.ts::createUser#function~2',
    ])
    expect(await ids({ query: 'UserStore.add' })).toEqual([
      'src/users.ts::UserStore.add#method',
      'tools/legacy.py::UserStore.add#method',
    ])
  })

  test('path, kind and limit restrict the result', async () => {
    expect(await ids({ query: 'add', path: 'tools/legacy.py' })).toEqual(['tools/legacy.py::UserStore.add#method'])
    expect(await ids({ query: 'add', path: 'src' })).toEqual(['src/users.ts::UserStore.add#method'])
    expect(await ids({ query: 'UserStore', kind: 'class', limit: 1 })).toHaveLength(1)
    expect(await ids({ query: 'make', symbol_type: 'import' })).toEqual(['src/index.ts::make#import'])
    expect(await ask(symbolSearch, { query: 'add', limit: 1000 })).toHaveProperty(
      'note',
      expect.stringContaining('100'),
    )
  })

  test('returns results at once, and only an incomplete index is reported', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`lib/file${index}.ts`, `export function number${index}() {}\n`]),
    )
    await writeTree(folder.root, many)
    const early = await ask(symbolSearch, { query: 'number299' })
    expect(early.symbols[0]).toMatchObject({ symbol_id: 'lib/file299.ts::number299#function' })
    await ready()
    expect(await ask(symbolSearch, { query: 'number299' })).not.toHaveProperty('index')
  })

  test('finds symbols that were just written, deleted or typed', async () => {
    await ready()
    await writeTree(folder.root, { 'src/hash.ts': 'export function digest() {}\n' })
    expect(await ids({ query: 'digest' })).toEqual(['src/hash.ts::digest#function'])
    expect(await ids({ query: 'hash', path: 'src/hash.ts' })).toEqual([])
    editor.tabs.set('src/hash.ts', { text: 'export function typed() {}\n', dirty: true })
    expect(await ids({ query: 'typed' })).toEqual(['src/hash.ts::typed#function'])
    editor.tabs.delete('src/hash.ts')
    expect(await ids({ query: 'typed' })).toEqual([])
    expect(await ids({ query: 'digest' })).toEqual(['src/hash.ts::digest#function'])
  })

  test('in a watched folder: finds symbols written by a tool at once, and new files once they are reported', async () => {
    await code.dispose()
    await open(true)
    await ready()
    await ids({ query: 'warm' })
    await writeTree(folder.root, { 'src/made.ts': 'export function madeByTool() {}\n' })
    code.filesWritten(['src/made.ts'])
    expect(await ids({ query: 'madeByTool' })).toEqual(['src/made.ts::madeByTool#function'])
    await writeTree(folder.root, { 'src/other.ts': 'export function madeElsewhere() {}\n' })
    code.filesChanged(['src/other.ts'], true)
    await expect.poll(() => ids({ query: 'madeElsewhere' })).toEqual(['src/other.ts::madeElsewhere#function'])
    await rm(path.join(folder.root, 'src/made.ts'))
    expect(await ids({ query: 'madeByTool' })).toEqual([])
  })

  test('a complete index of a watched folder searches no files', async () => {
    await code.dispose()
    await open(true)
    await ready()
    const text = vi.spyOn(context.search, 'text')
    expect(await ids({ query: 'createUser' })).toHaveLength(2)
    expect(text).not.toHaveBeenCalled()
  })

  test('invalid input is refused', async () => {
    await expectFailure(runTool(symbolSearch, { query: ' ' }, context), 'invalid_arguments')
    await expectFailure(runTool(symbolSearch, { query: 'x', kind: 'clas' }, context), 'invalid_arguments')
    await expectFailure(runTool(symbolSearch, { query: 'x', path: '../out' }, context), 'outside_workspace')
    await expectFailure(runTool(symbolSearch, { query: 'x', path: 'missing.ts' }, context), 'not_found')
    expect(await ask(symbolSearch, { query: 'nothingLikeIt' })).toHaveProperty('next')
  })

  test.each([
    ['overwritten', () => Buffer.from('This is no database. '.repeat(500))],
    ['cut in half', (whole: Buffer) => whole.subarray(0, whole.length / 2)],
    [
      'with garbage after its start',
      (whole: Buffer) => Buffer.concat([whole.subarray(0, 2000), Buffer.alloc(whole.length - 2000, 0xa5)]),
    ],
  ])('an index file %s is rebuilt, with a notice', async (_, damage) => {
    await ready()
    await code.dispose()
    const [file = ''] = (await readdir(path.join(data.root, 'code-index'))).filter((name) => name.endsWith('.db'))
    await writeFile(
      path.join(data.root, 'code-index', file),
      damage(await readFile(path.join(data.root, 'code-index', file))),
    )
    await open()
    expect(await ids({ query: 'createUser' })).toHaveLength(2)
    expect(notices.join()).toContain('It is being rebuilt.')
  })
})

test('two processes can use one index', async () => {
  await ready()
  const first = { code, context }
  await open()
  await ready()
  await writeTree(folder.root, { 'src/hash.ts': 'export function digest() {}\n' })
  const found = await Promise.all(
    [first.context, context].flatMap((each) =>
      ['digest', 'createUser'].map(async (query) => (await runTool(symbolSearch, { query }, each)).text),
    ),
  )
  expect(found.map((text) => answerSchema.parse(JSON.parse(text)).symbols[0]?.name)).toEqual([
    'digest',
    'createUser',
    'digest',
    'createUser',
  ])
  expect(notices).toEqual([])
  await first.code.dispose()
  expect(await ids({ query: 'digest' })).toEqual(['src/hash.ts::digest#function'])
})

describe('symbol_resolve', () => {
  test('shows signature, comment and body of one symbol, by id or by file and name', async () => {
    const expected = {
      symbol_id: 'src/users.ts::UserStore.add#method',
      signature: 'add(user: User): void',
      doc: 'Adds one.',
      body: { line: 6, end_line: 6 },
    }
    for (const args of [
      { symbol_id: expected.symbol_id },
      { id: expected.symbol_id },
      { path: 'src/users.ts', name: 'add' },
      { file: 'src/users.ts', qualified_name: 'UserStore.add' },
    ]) {
      expect(await ask(symbolResolve, args)).toMatchObject(expected)
    }
  })

  test('accepts qualified names in the notation of their language, even as an id without its kind', async () => {
    await writeTree(folder.root, { 'src/t.rs': 'pub struct T;\nimpl T { pub fn new() -> T { T } }\n' })
    const found = { symbol_id: 'src/t.rs::T.new#method', exported: true }
    for (const args of [
      { qualified_name: 'T::new' },
      { qualified_name: 'T#new' },
      { name: 'T::new' },
      { qualified_name: 'T.new()' },
    ]) {
      expect(JSON.parse((await runTool(symbolResolve, { path: 'src/t.rs', ...args }, context)).text)).toMatchObject(
        found,
      )
    }
    expect(JSON.parse((await runTool(symbolResolve, { symbol_id: 'src/t.rs::T::new' }, context)).text)).toMatchObject(
      found,
    )
  })
  test('lists the candidates of an ambiguous name, and similar names of an unknown one', async () => {
    await expect(runTool(symbolResolve, { path: 'src/users.ts', name: 'createUser' }, context)).rejects.toMatchObject({
      code: 'ambiguous_match',
      message: expect.stringContaining('createUser#function~2'),
    })
    expect(await ask(symbolResolve, { symbol_id: 'src/users.ts::createUser#function~2' })).toMatchObject({ line: 11 })
    await expect(runTool(symbolResolve, { path: 'src/users.ts', name: 'createUsr' }, context)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('createUser'),
    })
    await expectFailure(runTool(symbolResolve, { name: 'createUser' }, context), 'ambiguous_match')
    expect(await ask(symbolResolve, { name: 'hash_text' })).toMatchObject({ name: 'hash_text' })
    await expectFailure(runTool(symbolResolve, { path: 'gone.ts', name: 'x' }, context), 'not_found')
  })
})

describe('symbol_outline', () => {
  test('is a tree', async () => {
    const outline = await ask(symbolOutline, { path: 'src/users.ts' })
    expect(outline.symbols).toMatchObject([
      {
        name: 'UserStore',
        kind: 'class',
        lines: '3-8',
        children: [{ name: 'users' }, { name: 'add' }, { name: 'check' }],
      },
      { name: 'User', children: [{ name: 'name' }] },
      { name: 'createUser' },
      { name: 'createUser', symbol_id: 'src/users.ts::createUser#function~2' },
    ])
    expect(outline).toMatchObject({ language: 'TypeScript', imports: ['1: hash (import hash from ./hash)'] })
  })

  test('outlines the unsaved text of an open tab, and reports a file without symbols', async () => {
    editor.tabs.set('src/hash.ts', { text: 'class Unsaved {}\n', dirty: true })
    expect(await ask(symbolOutline, { file: 'src/hash.ts' })).toMatchObject({
      unsaved: expect.any(String),
      symbols: [{ name: 'Unsaved' }],
    })
    expect(await ask(symbolOutline, { path: 'notes.txt' })).toMatchObject({
      language: 'unknown',
      symbols: [],
      next: expect.any(String),
    })
    await expectFailure(runTool(symbolOutline, { path: 'src' }, context), 'is_directory')
  })
})

describe('symbol_graph', () => {
  const edges = async (args: Record<string, unknown>) => {
    const { incoming, outgoing } = await ask(symbolGraph, args)
    const line = (edge: { at: string; match: string; symbol_id?: string | undefined }) =>
      `${edge.at} ${edge.match} ${edge.symbol_id ?? '-'}`
    return { incoming: incoming.map(line), outgoing: outgoing.map(line) }
  }

  test('follows imports, aliases, scopes and this; another symbol of the same name is not a caller', async () => {
    await ready()
    expect(await edges({ path: 'src/hash.ts', name: 'hash' })).toEqual({
      incoming: ['src/users.ts:7 resolved src/users.ts::UserStore.check#method'],
      outgoing: [],
    })
    expect((await edges({ symbol_id: 'src/users.ts::createUser#function~2' })).incoming).toEqual([
      'src/index.ts:3 resolved src/index.ts::first#constant',
    ])
    expect((await edges({ path: 'src/users.ts', qualified_name: 'UserStore.check' })).incoming).toEqual([
      'src/users.ts:6 resolved src/users.ts::UserStore.add#method',
    ])
    expect(await edges({ path: 'tools/legacy.py', qualified_name: 'UserStore.add' })).toMatchObject({
      outgoing: ['tools/legacy.py:4 resolved tools/helpers.py::hash_text#function'],
    })
  })

  test('marks a match by name only', async () => {
    await writeTree(folder.root, { 'src/loose.ts': 'export function fill(something) { something.add(1) }\n' })
    await ready()
    expect((await edges({ path: 'src/users.ts', qualified_name: 'UserStore.add' })).incoming).toEqual([
      'src/users.ts:13 resolved src/users.ts::createUser#function~2',
      'src/loose.ts:1 name src/loose.ts::fill#function',
    ])
  })

  test('accepts every kind of edge', async () => {
    await ready()
    expect((await edges({ path: 'src/users.ts', name: 'UserStore', kind: 'contains' })).outgoing).toHaveLength(3)
    expect((await edges({ path: 'src/users.ts', name: 'UserStore', edge_kind: 'export' })).incoming).toEqual([
      'src/index.ts:2 resolved -',
    ])
    expect((await edges({ path: 'src/hash.ts', name: 'hash', relationship_type: 'import' })).incoming).toEqual([
      'src/users.ts:1 resolved -',
    ])
    expect(
      (await edges({ path: 'src/users.ts', name: 'User', relationship_type: 'usage' })).incoming.length,
    ).toBeGreaterThan(3)
    expect(
      (await ask(symbolGraph, { path: 'src/users.ts', name: 'User', relationship_type: 'usage', limit: 1 })).incoming,
    ).toHaveLength(1)
    await expectFailure(
      runTool(symbolGraph, { path: 'src/users.ts', name: 'User', relationship_type: 'cals' }, context),
      'invalid_arguments',
    )
    await expectFailure(runTool(symbolGraph, { symbol_id: 'src/users.ts::Gone#class' }, context), 'not_found')
  })
})

describe('get_project_index_overview and get_project_index_chunk', () => {
  const page = z.looseObject({
    total_chars: z.number(),
    offset: z.number(),
    returned_chars: z.number(),
    has_more: z.boolean(),
    next_offset: z.number().nullable(),
    content: z.string(),
  })
  const read = async (tool: Tool, args: Record<string, unknown>) =>
    page.parse(JSON.parse((await runTool(tool, args, context)).text))

  test('contain purpose, folders with counts, entry points, central symbols and contents', async () => {
    await writeTree(folder.root, {
      'README.md': '# Users\n\nKeeps users.\n',
      'package.json': '{\n  "name": "users"\n}\n',
    })
    await code.status()
    await ready()
    const { content } = await read(getProjectIndexOverview, {})
    for (const part of [
      'Keeps users.',
      'name: users',
      'src/ (3 files)',
      '- function hash (src/hash.ts:1), used by 1 other file',
      '- src/index.ts',
      '- src/users.ts: UserStore, User, createUser',
      'Python 2',
    ])
      expect(content).toContain(part)
    expect((await read(getProjectIndexOverview, { path: 'tools' })).content).not.toContain('src/users.ts')
  })

  test('state a minimum number of files for a name with too many references', async () => {
    const users = Array.from({ length: 45 }, (_, index) => [
      `src/user${index}.ts`,
      `import { hash } from './hash'\nexport const hashed${index} = hash('${index}')\n`,
    ])
    await writeTree(folder.root, Object.fromEntries(users))
    await code.status()
    await ready()
    expect((await read(getProjectIndexOverview, { max_chars: 12_000 })).content).toMatch(
      /- function hash \(src\/hash\.ts:1\), used by at least \d\d other files \(this name is in 4[67] files\)/,
    )
  })

  test('are complete and identical from the first call on, and name the index file', async () => {
    await writeTree(
      folder.root,
      Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [
          `lib/file${index}.ts`,
          `export function number${index}() { return number0() }\n`,
        ]),
      ),
    )
    const first = await read(getProjectIndexOverview, { max_chars: 12_000 })
    expect(first).not.toHaveProperty('index')
    expect(first.content).toContain('lib/file199.ts: number199')
    expect(await read(getProjectIndexOverview, { max_chars: 12_000 })).toEqual(first)
    const [database] = (await readdir(path.join(data.root, 'code-index'))).filter((name) => name.endsWith('.db'))
    expect(first).toMatchObject({
      workspace_root: folder.root,
      index_path: path.join(data.root, 'code-index', database ?? ''),
    })
  })

  test('joined pages equal the complete text', async () => {
    const whole = (await read(getProjectIndexOverview, {})).content
    let text = ''
    for (let offset: number | null = 0; offset !== null;) {
      const next = await read(getProjectIndexChunk, { offset, max_chars: 100 })
      expect(next.has_more).toBe(next.next_offset !== null)
      text += next.content
      offset = next.next_offset
    }
    expect(text).toBe(whole)
  })

  test('a length above the cap is lowered with a note; an offset beyond the end and a file are refused', async () => {
    expect(await read(getProjectIndexOverview, { max_chars: 20_000 })).toMatchObject({
      max_chars: 12_000,
      note: expect.stringContaining('12000'),
    })
    expect(await read(getProjectIndexChunk, { max_chars: 20_000 })).toMatchObject({ max_chars: 8000 })
    await expectFailure(runTool(getProjectIndexChunk, { offset: 1_000_000 }, context), 'out_of_range')
    await expectFailure(runTool(getProjectIndexOverview, { path: 'src/users.ts' }, context), 'not_a_directory')
  })
})

test('a cancelled call fails', async () => {
  const cancelled = { ...context, signal: AbortSignal.abort() }
  for (const [tool, args] of [
    [symbolSearch, { query: 'x' }],
    [symbolOutline, { path: 'src/users.ts' }],
  ] as const) {
    await expect(runTool(tool, args, cancelled)).rejects.toThrow()
  }
})

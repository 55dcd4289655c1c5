import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { requests } from '../../shared/bridge/protocol.ts'
import type { CallDirection, OutlineSymbol } from '../../shared/language/codeNavigation.ts'
import type { CodeIndex } from '../code/codeIndex.ts'
import type { ServerOutline } from '../lsp/features/symbols.ts'
import { openIndexedFolder, type IndexedFolder } from '../testing/indexedFolder.ts'
import type { FakeEditor } from '../tools/testing/toolContext.ts'
import { createCodeHandlers } from './codeHandlers.ts'

const files = {
  'src/users.ts': `import { hash, type Salt } from './hash'
import * as text from './text'
/** Keeps users. */
export class UserStore {
  /** Adds one. */
  add(user: User, salt: Salt): void { this.check(user); hash(user.name) }
  check(user: User): boolean { return text.trim(user.name) !== '' }
}
export interface User { name: string }
export function createUser(name: string): User
export function createUser(name: string, store?: UserStore): User { return { name } }
`,
  'src/hash.ts': 'export type Salt = string\nexport function hash(text: string): string { return text }\n',
  'src/text.ts': 'export function trim(text: string) { return text }\n',
  'src/index.ts':
    "import {\n  createUser as make,\n} from './users'\nimport { readFile } from 'node:fs'\nexport { UserStore } from './users'\nmake('Ada')\nthing.add(make)\nreadFile('x')\n// make nothing of it\n",
  'tools/legacy.py':
    'from helpers import (hash_text,\n  other as another)\nimport helpers\nclass Store:\n    def add(self, user):\n        another()\n        return helpers.hash_text(hash_text(user))\n',
  'tools/helpers.py': 'def hash_text(text):\n    """Hashes a text."""\n    return text\ndef other():\n    pass\n',
  'notes.txt': 'createUser is here too\n',
}

const { signal } = new AbortController()
let folder: IndexedFolder
let editor: FakeEditor
let code: CodeIndex
let handlers: ReturnType<typeof createCodeHandlers>
/** Outlines of a language server. */
let served: Map<string, ServerOutline>

beforeEach(async () => {
  folder = await openIndexedFolder(files, { watched: false })
  ;({ editor, code } = folder)
  const buffers = {
    get: (path: string) =>
      folder
        .dirtyBuffers()
        .map((tab) => ({ ...tab, dirty: true }))
        .find((tab) => tab.path === path),
  }
  const none = async () => undefined
  const languages = {
    definition: none,
    references: none,
    hover: none,
    callHierarchy: none,
    documentSymbols: async (file: string) => served.get(file),
    folderSymbols: async () => [...served.values()].flatMap(({ symbols }) => symbols),
  }
  served = new Map()
  handlers = createCodeHandlers(() => ({ code, buffers, languages }))
})
afterEach(() => folder.close())

const servedSymbol = (name: string): OutlineSymbol => ({
  id: `src/hash.ts::${name}`,
  kind: 'function',
  name,
  container: '',
  path: 'src/hash.ts',
  line: 1,
  column: 1,
  endLine: 1,
  endColumn: 2,
  nameLine: 1,
  nameColumn: 1,
  signature: name,
  parent: null,
})

/** Returns the position of a word's nth occurrence in a file, or in the unsaved text of its tab. */
function at(path: keyof typeof files, word: string, nth = 1, text: string = files[path]) {
  let offset = -1
  for (let count = 0; count < nth; count++) offset = text.indexOf(word, offset + 1)
  if (offset < 0) expect.unreachable(`"${word}" does not stand in ${path}`)
  const before = text.slice(0, offset).split('\n')
  return { path, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
async function definition(place: ReturnType<typeof at>): Promise<string> {
  const found = await handlers['code.definition'](place, signal)
  if (!found) return 'nothing'
  return `${found.places.map(({ path, line, column, name }) => `${path}:${line}:${column} ${name}`.trim()).join(', ')}${found.resolved ? '' : ' by name'}`
}

describe('definition', () => {
  test('follows imports to another file, including aliases and types', async () => {
    expect(await definition(at('src/users.ts', 'hash(user'))).toBe('src/hash.ts:2:17 hash')
    expect(await definition(at('src/index.ts', "make('Ada"))).toBe('src/users.ts:11:17 createUser')
    expect(await definition(at('src/users.ts', 'Salt): void'))).toBe('src/hash.ts:1:13 Salt')
    expect(await definition(at('src/users.ts', 'trim(user'))).toBe('src/text.ts:1:17 trim')
    expect(await definition(at('tools/legacy.py', 'hash_text(hash'))).toBe('tools/helpers.py:1:5 hash_text')
    expect(await definition(at('tools/legacy.py', 'another()'))).toBe('tools/helpers.py:4:5 other')
  })

  test('of an import is the imported symbol, and of a module its file', async () => {
    expect(await definition(at('src/users.ts', 'hash, type'))).toBe('src/hash.ts:2:17 hash')
    expect(await definition(at('src/index.ts', 'make,'))).toBe('src/users.ts:11:17 createUser')
    expect(await definition(at('src/index.ts', 'UserStore'))).toBe('src/users.ts:4:14 UserStore')
    expect(await definition(at('tools/legacy.py', 'other as'))).toBe('tools/helpers.py:4:5 other')
    expect(await definition(at('src/users.ts', './hash'))).toBe('src/hash.ts:1:1')
    expect(await definition(at('src/users.ts', 'text.trim'))).toBe('src/text.ts:1:1')
    expect(await definition(at('tools/legacy.py', 'helpers', 2))).toBe('tools/helpers.py:1:1')
  })

  test('is found at its own name and at the end of a word', async () => {
    expect(await definition(at('src/users.ts', 'add(user'))).toBe('src/users.ts:6:3 add')
    const place = at('src/users.ts', 'check(user);')
    expect(await definition({ ...place, column: place.column + 'check'.length })).toBe('src/users.ts:7:3 check')
  })

  test('is marked if only the name matches, and empty outside the workspace and outside code', async () => {
    expect(await definition(at('src/index.ts', 'add('))).toBe('src/users.ts:6:3 add by name')
    expect(await definition(at('src/index.ts', "readFile('x"))).toBe('nothing')
    expect(await definition(at('src/index.ts', 'make nothing'))).toBe('src/users.ts:11:17 createUser by name')
    expect(await definition(at('notes.txt', 'createUser'))).toBe('nothing')
    expect(await definition({ path: 'src/hash.ts', line: 400, column: 7 })).toBe('nothing')
  })

  test('uses the unsaved text of the tab', async () => {
    const text = `\n\n${files['src/hash.ts'].replace('function hash', 'function digest')}`
    editor.tabs.set('src/hash.ts', { text, dirty: true })
    const user = files['src/users.ts'].replaceAll('hash', 'digest').replace('./digest', './hash')
    editor.tabs.set('src/users.ts', { text: user, dirty: true })
    expect(await definition(at('src/users.ts', 'digest(user', 1, user))).toBe('src/hash.ts:4:17 digest')
  })

  test('of a missing file is an error', async () => {
    await expect(handlers['code.definition']({ path: 'gone.ts', line: 1, column: 1 }, signal)).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(handlers['code.definition']({ path: '../x.ts', line: 1, column: 1 }, signal)).rejects.toMatchObject({
      code: 'outside_workspace',
    })
  })
})

describe('references', () => {
  const references = async (place: ReturnType<typeof at>, limit = 1000) => {
    const { places, total } = await handlers['code.references']({ ...place, limit }, signal)
    return {
      total,
      places: places.map(
        ({ path, line, resolved, definition: own }) =>
          `${own ? 'definition ' : ''}${path}:${line}${resolved ? '' : ' by name'}`,
      ),
    }
  }

  test('are the same from the definition and from a use, resolved ones before name matches', async () => {
    const expected = ['definition src/users.ts:11', 'src/index.ts:6', 'src/index.ts:7', 'src/index.ts:2']
    expect((await references(at('src/users.ts', 'createUser', 2))).places.toSorted()).toEqual(expected.toSorted())
    expect((await references(at('src/index.ts', "make('Ada"))).places.toSorted()).toEqual(expected.toSorted())
    expect((await references(at('src/users.ts', 'add(user'))).places).toEqual([
      'definition src/users.ts:6',
      'src/index.ts:7 by name',
    ])
  })

  test('stop at the limit and report the total', async () => {
    expect(await references(at('src/hash.ts', 'hash'), 1)).toEqual({ total: 3, places: ['definition src/hash.ts:2'] })
  })

  test('of a symbol defined outside the workspace are the places that use its name', async () => {
    expect((await references(at('src/index.ts', "readFile('x"))).places).toEqual(['src/index.ts:8 by name'])
  })
})

test('a hover shows signature and comment, and whether only the name matches', async () => {
  expect(await handlers['code.hover'](at('tools/legacy.py', 'hash_text(user'), signal)).toMatchObject({
    resolved: true,
    name: 'hash_text',
    column: 34,
    symbols: [{ signature: 'def hash_text(text)', doc: 'Hashes a text.', language: 'python' }],
  })
  expect(await handlers['code.hover'](at('src/index.ts', 'add('), signal)).toMatchObject({
    resolved: false,
    symbols: [{ container: 'UserStore', doc: 'Adds one.' }],
  })
  expect(await handlers['code.hover'](at('src/users.ts', 'add(user'), signal)).toMatchObject({
    symbols: [{ doc: 'Adds one.' }],
  })
  // No hover without additional information, and none on a comment.
  expect(await handlers['code.hover'](at('src/users.ts', 'check(user: User'), signal)).toBeNull()
  expect(await handlers['code.hover'](at('src/index.ts', 'make nothing'), signal)).toBeNull()
})

describe('an outline', () => {
  async function outline(path: string, indexOnly = false) {
    const found = await handlers['code.outline']({ path, indexOnly }, signal)
    if (!found) throw new Error('There is no outline.')
    return found
  }

  test('is not sent again while it is the same', async () => {
    const { revision } = await outline('src/users.ts')
    const again = { path: 'src/users.ts', indexOnly: false, known: revision }
    expect(await handlers['code.outline'](again, signal)).toBeNull()
  })

  test('is a tree without imports', async () => {
    const { symbols, problem, language } = await outline('src/users.ts')
    const named = symbols.map(({ name, parent }) => (parent === null ? name : `${symbols[parent]?.name}/${name}`))
    expect(named).toEqual([
      'UserStore',
      'UserStore/add',
      'UserStore/check',
      'User',
      'User/name',
      'createUser',
      'createUser',
    ])
    expect({ problem, language }).toEqual({ problem: '', language: 'TypeScript' })
  })

  test('is that of a language server which runs, except for mentions', async () => {
    served.set('src/hash.ts', { symbols: [servedSymbol('fromServer')], truncated: true })
    expect(await outline('src/hash.ts')).toMatchObject({
      symbols: [{ name: 'fromServer' }],
      problem: 'Only the first 10,000 symbols are shown.',
    })
    expect((await outline('src/hash.ts', true)).symbols.map(({ name }) => name)).toEqual(['Salt', 'hash'])
    // A server without symbols may not understand the file.
    served.set('src/hash.ts', { symbols: [], truncated: false })
    expect((await outline('src/hash.ts')).symbols).toHaveLength(2)
  })

  test('includes text typed a moment ago', async () => {
    editor.tabs.set('src/hash.ts', { text: 'export const salt = 1\n', dirty: true })
    expect((await outline('src/hash.ts')).symbols.map(({ name }) => name)).toEqual(['salt'])
  })

  test('of a large file does not request its text from the window', async () => {
    await writeFile(path.join(folder.root, 'large.ts'), `${'const a = 1\n'.repeat(100_000)}`)
    editor.tabs.set('large.ts', { text: 'const a = 1\n', dirty: false })
    expect(await outline('large.ts')).toMatchObject({
      symbols: [],
      problem: expect.stringContaining('larger than 1 MB'),
    })
    expect(editor.asked).toEqual([])
  })

  test('of a long unsaved text reports that it is too large', async () => {
    editor.tabs.set('src/hash.ts', { text: 'export const salt = 1\n'.repeat(100_000), dirty: true })
    expect(await outline('src/hash.ts')).toMatchObject({
      symbols: [],
      problem: expect.stringContaining('larger than 1 MB'),
    })
  })

  test('reports why symbols may be missing', async () => {
    editor.tabs.set('src/hash.ts', { text: 'export function hash( {{{\n', dirty: true })
    expect((await outline('src/hash.ts')).problem).toContain('could not be parsed')
    expect(await outline('notes.txt')).toMatchObject({ language: null, supported: false, symbols: [] })
  })
})

test('symbols of the folder are found by name; an empty name finds none', async () => {
  const params = requests['code.symbols'].params
  const best = async () => (await handlers['code.symbols'](params.parse({ query: 'cUs' }), signal)).symbols[0]
  await expect.poll(best).toMatchObject({ name: 'createUser', path: 'src/users.ts' })
  expect((await handlers['code.symbols'](params.parse({ query: ' ' }), signal)).symbols).toEqual([])
})

test('symbols of servers and of the index are one list by name, each symbol once', async () => {
  const params = requests['code.symbols'].params
  const found = async (query: string, indexOnly = false) =>
    (await handlers['code.symbols'](params.parse({ query, indexOnly }), signal)).symbols
  await expect.poll(() => found('hash')).toMatchObject([{ name: 'hash' }, { name: 'hash_text' }])
  const hash = { ...servedSymbol('hash'), nameLine: 2 }
  served.set('src/hash.ts', { symbols: [servedSymbol('hashedLocal'), hash], truncated: false })
  expect((await found('hash')).map(({ name, path: file }) => `${name} ${file}`)).toEqual([
    'hash src/hash.ts',
    'hash_text tools/helpers.py',
    'hashedLocal src/hash.ts',
  ])
  expect((await found('hash', true)).map(({ name }) => name)).toEqual(['hash', 'hash_text'])
})

describe('a call hierarchy of the index', () => {
  const calls = async (place: { path: string; line: number; column: number }, direction: CallDirection) => {
    const found = await handlers['code.callHierarchy']({ ...place, direction }, signal)
    return (
      found && [
        found.item.name,
        ...found.calls.map(
          ({ item, ranges }) => `${item.name} ${item.path}:${ranges.map((each) => each.startLine).join(',')}`,
        ),
      ]
    )
  }

  test('names the callers of a function, in a file without a server', async () => {
    await expect
      .poll(() => calls(at('tools/helpers.py', 'hash_text'), 'incoming'))
      .toEqual(['hash_text', 'add tools/legacy.py:7,7'])
  })

  test('names the functions that the one around the cursor calls', async () => {
    await expect
      .poll(() => calls(at('tools/legacy.py', 'return'), 'outgoing'))
      .toEqual(['add', 'other tools/helpers.py:6', 'hash_text tools/helpers.py:7,7'])
  })

  test('attributes a call outside of functions to its file', async () => {
    await expect
      .poll(() => calls(at('src/users.ts', 'createUser', 2), 'incoming'))
      .toEqual(['createUser', 'src/index.ts src/index.ts:6'])
  })

  test('is null where there is no function', async () => {
    expect(await calls(at('notes.txt', 'is here'), 'incoming')).toBeNull()
  })
})

test('requests without an open folder fail', async () => {
  await expect(
    createCodeHandlers(() => null)['code.outline']({ path: 'a', indexOnly: false }, signal),
  ).rejects.toMatchObject({
    code: 'no_workspace',
  })
})

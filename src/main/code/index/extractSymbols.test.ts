import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { extractSymbols } from './extractSymbols.ts'
import { createGrammars } from './grammars.ts'
import { languageOf, languages } from './languages.ts'
import { createSymbolReader } from './symbolReader.ts'
import type { Extraction } from './symbolTypes.ts'

const grammars = createGrammars(fileURLToPath(new URL('../../../../resources/grammars', import.meta.url)))

async function read(file: string, text: string): Promise<Extraction> {
  const language = languageOf(file)
  const grammar = language && (await grammars.get(language))
  if (!grammar) throw new Error(`${file} has no grammar.`)
  return extractSymbols(grammar, text)
}

test('extracts signature, comment and body range of a symbol', async () => {
  const { symbols } = await read(
    'a.ts',
    `/**\n * Adds two numbers.\n * @returns the sum\n */\nexport async function add(a: number,\n  b: number): Promise<number> {\n  return a + b\n}\n\n// Not about it.\n\nconst x = 1 // One.\n`,
  )
  expect(symbols[0]).toMatchObject({
    signature: 'async function add(a: number, b: number): Promise<number>',
    doc: 'Adds two numbers.\n@returns the sum',
    exported: true,
    range: { line: 5, column: 8, endLine: 8, endColumn: 2 },
    body: { line: 6, endLine: 8 },
  })
  expect(symbols[1]).toMatchObject({ name: 'x', doc: '' })
  const python = await read('a.py', `def add(a, b):\n    """Adds two numbers.\n\n    The sum."""\n    return a + b\n`)
  expect(python.symbols[0]).toMatchObject({ signature: 'def add(a, b)', doc: 'Adds two numbers.\n\nThe sum.' })
})

test('extracts symbols from a text with syntax errors', async () => {
  const found = await read('a.ts', 'function whole() {}\nfunction broken( {\nclass')
  expect(found.hasSyntaxErrors).toBe(true)
  expect(found.symbols.map(({ name }) => name)).toContain('whole')
})

test('recognizes at least fifty languages', () => {
  expect(new Set(languages.map(({ id }) => id)).size).toBeGreaterThanOrEqual(50)
  expect(languageOf('lib/Makefile')?.title).toBe('Makefile')
  expect(languageOf('a/b.test.MTS')?.title).toBe('TypeScript')
  expect(languageOf('notes')).toBeUndefined()
  const extensions = languages.flatMap((language) => language.extensions)
  expect(extensions.filter((extension, index) => extensions.indexOf(extension) !== index)).toEqual([])
})

test.each(languages.filter(({ grammar }) => grammar))('$title: the tag query matches the grammar', async (language) => {
  expect(await grammars.get(language)).not.toBeNull()
})

test('stops with an error after the time limit, and parses the next file normally', async () => {
  const language = languageOf('a.ts')
  const grammar = language && (await grammars.get(language))
  if (!grammar) throw new Error('TypeScript has no grammar.')
  const long = 'function f() { return [1, 2, 3] }\n'.repeat(20_000)
  expect(() => extractSymbols(grammar, long, { milliseconds: 1 })).toThrow(
    'Parsing took more than 0.001 s of processor time, so symbols were not read.',
  )
  expect(extractSymbols(grammar, 'const a = 1').symbols.map(({ name }) => name)).toEqual(['a'])
})

const reader = createSymbolReader({
  grammars: fileURLToPath(new URL('../../../../resources/grammars', import.meta.url)),
  onNotice: () => undefined,
})
const named = (file: string, text: string) => reader.read(languageOf(file), text)

test.each([
  ['a.ts', '['],
  ['a.ts', 'function f() {'],
  ['a.py', '('],
  ['a.c', '{'],
  ['a.rs', 'mod a {'],
  ['a.json', '[{"a":'],
  ['a.yaml', '[{a: '],
  ['a.toml', 'a = ['],
  ['a.md', '> - '],
  ['a.swift', 'class A {'],
  ['a.kt', 'class A {'],
  ['a.lua', 'do '],
  ['a.vue', '<div>'],
])('%s: repeating %j neither overflows the stack nor blocks the thread', async (file, piece) => {
  const { found, problem } = await named(file, piece.repeat(2000))
  if (file !== 'a.vue') expect(problem).not.toBe('')
  expect(Math.max(0, ...found.symbols.map(({ qualified }) => qualified.split('.').length))).toBeLessThanOrEqual(32)
})

test('reports that a text over 1 MB is not read', async () => {
  expect(await named('a.ts', `const a = 1\n${' '.repeat(1024 * 1024)}`)).toMatchObject({
    found: { symbols: [] },
    problem: expect.stringContaining('larger than 1 MB'),
  })
})

test('extracts only the top-level keys of a lockfile', async () => {
  const packages = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [`node_modules/p${index}`, { version: '1.0.0', license: 'MIT' }]),
  )
  const { found, problem } = await named(
    'package-lock.json',
    JSON.stringify({ name: 'demo', packages, lockfileVersion: 3 }, null, 2),
  )
  expect(found.symbols).toHaveLength(300)
  expect(problem).toBe('Only 300 of 6,003 keys are symbols; the deepest are omitted.')
  expect((await named('package.json', '{ "name": "demo" }')).problem).toBe('')
  expect(found.symbols.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['name', 'packages', 'lockfileVersion', 'node_modules/p0']),
  )
})

test('extracts C enum members between preprocessor lines', async () => {
  const { found } = await named(
    'in.h',
    'enum proto {\n  P_IP,\n#define P_IP P_IP\n  P_TCP = 6,\n#define P_TCP P_TCP\n  P_UDP,\n#if MORE\n  P_RAW,\n#endif\n  P_MAX\n};\n',
  )
  expect(found.symbols.filter(({ kind }) => kind === 'enum_member').map(({ qualified }) => qualified)).toEqual([
    'proto.P_IP',
    'proto.P_TCP',
    'proto.P_UDP',
    'proto.P_RAW',
    'proto.P_MAX',
  ])
})

test('parses a C++ header as C++', async () => {
  const { found } = await named('a.h', 'namespace a { class B : public C { public: void go(); }; }\n')
  expect(found.symbols.map(({ kind, qualified }) => `${kind} ${qualified}`)).toEqual([
    'namespace a',
    'class a.B',
    'method a.B.go',
  ])
})

describe('a grammar that cannot be loaded', () => {
  test('is reported once, and its files have a problem and no symbols', async () => {
    const empty = await temporaryFolder({ 'python.scm': '(no_such_node) @name' })
    const notices: string[] = []
    const lame = createSymbolReader({ grammars: empty.root, onNotice: (notice) => notices.push(notice) })
    const results = [
      await lame.read(languageOf('a.ts'), 'let a'),
      await lame.read(languageOf('b.ts'), 'let b'),
      await lame.read(languageOf('a.py'), 'a = 1'),
    ]
    expect(results.map(({ found }) => found.symbols)).toEqual([[], [], []])
    expect(results.map(({ problem }) => /^The (\w+) grammar could not be loaded/.exec(problem)?.[1])).toEqual([
      'TypeScript',
      'TypeScript',
      'Python',
    ])
    expect(new Set(notices).size).toBe(2)
    await empty.remove()
  })

  test('is reported if its file is truncated', async () => {
    const whole = await readFile(
      createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-css.wasm'),
    )
    const folder = await temporaryFolder({ 'css.scm': '(rule_set (selectors) @name) @definition.class' })
    const wasm = path.join(folder.root, 'css.wasm')
    await writeFile(wasm, whole.subarray(0, whole.length / 2))
    const notices: string[] = []
    const lame = createSymbolReader({ grammars: folder.root, onNotice: (notice) => notices.push(notice) })
    const read = await lame.read(
      { id: 'css', title: 'CSS', extensions: ['css'], grammar: { wasm, queries: ['css'] } },
      'a { top: 0 }',
    )
    expect(read).toMatchObject({
      found: { symbols: [] },
      problem: expect.stringMatching(/^The CSS grammar could not be loaded/),
    })
    expect(notices).toEqual([read.problem])
    await folder.remove()
  })
})

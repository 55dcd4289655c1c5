import { readdir, readFile } from 'node:fs/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { openLanguageFolder, type LanguageFolder } from './testing/languageFolder.ts'

// The real TypeScript 7, started as `tsc --lsp --stdio`.

const files = {
  'tsconfig.json':
    '{"compilerOptions":{"strict":true,"module":"nodenext","allowImportingTsExtensions":true,"noEmit":true}}',
  'a.ts': "import { add } from './b.ts'\nconst x: number = 'a'\nexport const sum = add(1, 2)\n",
  'b.ts': '/** Adds. */\nexport function add(a: number, b: number): number {\n  return a + b\n}\n',
}

let folder: LanguageFolder
afterEach(() => folder.close())

const place = (line: number, column: number, path = 'a.ts') => ({ path, line, column })

it('reports errors of an open file, and removes them while the text is still unsaved', async () => {
  folder = await openLanguageFolder(files)
  folder.open('a.ts')
  await vi.waitFor(() =>
    expect(folder.problems.get('a.ts')?.problems[0]).toMatchObject({
      range: { startLine: 2, startColumn: 7, endLine: 2, endColumn: 8 },
      severity: 'error',
      message: "Type 'string' is not assignable to type 'number'.",
      source: 'ts',
      code: '2322',
    }),
  )
  folder.open('a.ts', files['a.ts'].replace("'a'", '1'))
  await vi.waitFor(() =>
    expect(folder.problems.get('a.ts')?.problems.filter(({ severity }) => severity === 'error')).toEqual([]),
  )
  expect(folder.statuses()[0]).toMatchObject({ id: 'typescript', state: 'running' })
})

it('an error in another open file appears when the edited file causes it', async () => {
  folder = await openLanguageFolder(files)
  folder.open('a.ts', files['a.ts'].replace("'a'", '1'))
  folder.open('b.ts')
  await vi.waitFor(() => expect(folder.statuses()[0]?.state).toBe('running'))
  folder.open('b.ts', files['b.ts'].replace('b: number', 'b: string'))
  await vi.waitFor(() =>
    expect(folder.problems.get('a.ts')?.problems[0]?.message).toContain("not assignable to parameter of type 'string'"),
  )
})

it('answers about definitions, references, hovers, completions and signatures, also of files without a tab', async () => {
  folder = await openLanguageFolder(files)
  const { languages } = folder
  expect(await languages.definition(place(3, 21))).toEqual({
    libraries: [],
    outside: [],
    places: [{ path: 'b.ts', line: 2, column: 17, name: 'add' }],
    resolved: true,
    name: 'add',
    column: 20,
  })
  expect((await languages.references(place(3, 21), 10))?.places.map(({ path, line }) => `${path}:${line}`)).toEqual([
    'a.ts:1',
    'a.ts:3',
    'b.ts:2',
  ])
  const hover = await languages.hover(place(3, 21))
  expect(hover).toMatchObject({ name: 'add', column: 20, resolved: true })
  expect(hover?.markdown?.[0]).toContain('function add(a: number, b: number): number')
  expect(hover?.markdown?.[0]).toContain('Adds.')

  const list = await languages.completion(place(3, 23))
  const index = list?.items.findIndex(({ label }) => label === 'add') ?? -1
  expect({ ...list?.defaults, ...list?.items[index] }).toMatchObject({
    range: { startLine: 3, startColumn: 20, endLine: 3, endColumn: 23 },
  })
  expect(await languages.resolveCompletion(list?.id ?? '', index)).toMatchObject({ documentation: 'Adds.' })
  expect(await languages.signatureHelp({ ...place(3, 24), retrigger: false })).toMatchObject({
    signatures: [{ label: 'add(a: number, b: number): number' }],
    activeParameter: 0,
  })
})

it('renames in all files, also from a use of an imported name', async () => {
  folder = await openLanguageFolder(files)
  const plan = await folder.languages.rename(place(3, 21), 'plus')
  expect(plan).toMatchObject({ name: 'add', newName: 'plus' })
  expect(
    plan?.files.map(({ path, occurrences }) => [path, ...occurrences.map(({ line, column }) => `${line}:${column}`)]),
  ).toEqual([
    ['a.ts', '1:10', '3:20'],
    ['b.ts', '2:17'],
  ])
})

it('leaves references and renames to the index where no project file names the files', async () => {
  folder = await openLanguageFolder({ 'src/a.ts': files['a.ts'], 'src/b.ts': files['b.ts'] })
  const at = place(3, 21, 'src/a.ts')
  expect(await folder.languages.references(at, 10)).toBeUndefined()
  expect(await folder.languages.rename(at, 'plus')).toBeUndefined()
  expect((await folder.languages.rename(at, 'plus', undefined, true))?.certain).toBe(true)
  expect((await folder.languages.definition(at))?.places).toMatchObject([{ path: 'src/b.ts' }])
})

it('offers an import as quick fix and computes its edit', async () => {
  folder = await openLanguageFolder({ ...files, 'c.ts': 'export const three = add(1, 2)\n' })
  folder.open('c.ts')
  await vi.waitFor(() => expect(folder.problems.get('c.ts')?.problems[0]?.code).toBe('2304'))
  const range = folder.problems.get('c.ts')?.problems[0]?.range
  if (!range) return expect.unreachable()
  const list = await folder.languages.codeActions({ path: 'c.ts', range })
  const fix = list?.actions.find(({ title }) => title.includes('import'))
  expect(fix?.kind).toBe('quickfix')
  const [edits] = await folder.languages.runCodeAction(list?.id ?? '', fix?.index ?? -1)
  expect(edits).toMatchObject({ path: 'c.ts', edits: [{ range: { startLine: 1, startColumn: 1 } }] })
  expect(edits?.edits[0]?.text).toContain('import { add } from "./b"')
})

it.each([
  ['', "import { add, two } from './b.ts'\n"],
  [';', "import { add, two } from './b.ts';\n"],
])('organizes imports that end with "%s" as they are written', async (end, organized) => {
  const text = `import { two, add, gone } from './b.ts'${end}\nexport const three = add(1, two)${end}\n`
  const exported = 'export const add = (a: number, b: number) => a + b\nexport const two = 2\nexport const gone = 3\n'
  folder = await openLanguageFolder({ ...files, 'b.ts': exported, 'c.ts': text })
  folder.open('c.ts')
  const range = { startLine: 1, startColumn: 1, endLine: 3, endColumn: 1 }
  const list = await folder.languages.codeActions({ path: 'c.ts', range, kind: 'source.organizeImports' })
  const [edits] = await folder.languages.runCodeAction(list?.id ?? '', list?.actions[0]?.index ?? -1)
  expect(edits?.edits[0]?.text).toBe(organized)
})

it('formats, folds, colors and finds callers', async () => {
  folder = await openLanguageFolder({ ...files, 'f.ts': 'export function f( ) {\nreturn 1\n}\nf()\n' })
  const { languages } = folder
  expect(await languages.format('f.ts', undefined, { tabSize: 2, spaces: true })).toContainEqual({
    range: { startLine: 2, startColumn: 1, endLine: 2, endColumn: 1 },
    text: '  ',
  })
  expect(await languages.foldingRanges('f.ts')).toMatchObject([{ startLine: 1 }])
  const tokens = await languages.semanticTokens('f.ts', undefined)
  expect(tokens?.data.slice(0, 3)).toEqual([0, 16, 1])
  const last = { startLine: 4, startColumn: 1, endLine: 5, endColumn: 1 }
  expect((await languages.semanticTokens('f.ts', last))?.data.slice(0, 3)).toEqual([3, 0, 1])
  expect(await languages.callHierarchy(place(2, 18, 'b.ts'), 'incoming')).toMatchObject({
    item: { name: 'add', kind: 'function', path: 'b.ts' },
    calls: [{ item: { name: 'a.ts', path: 'a.ts', kind: 'module' }, ranges: [{ startLine: 3, startColumn: 20 }] }],
  })
})

it('links the names in the tags of JSX', async () => {
  folder = await openLanguageFolder({ ...files, 'c.tsx': 'export const c = (\n  <main>\n    <b />\n  </main>\n)\n' })
  folder.open('c.tsx')
  expect(await folder.languages.linkedEditingRanges({ path: 'c.tsx', line: 2, column: 5 })).toEqual([
    { startLine: 2, startColumn: 4, endLine: 2, endColumn: 8 },
    { startLine: 4, startColumn: 5, endLine: 4, endColumn: 9 },
  ])
  expect(await folder.languages.linkedEditingRanges({ path: 'c.tsx', line: 3, column: 6 })).toBeNull()
})

it('lists the symbols of a file and of the folder while it runs, without imported names', async () => {
  const text =
    "import {\n  add,\n} from './b.ts'\nimport type { x } from './x.ts'\nlet later\nexport class Store {\n  put(): void {}\n}\ntype Id = string\nexport { add, later }\n"
  folder = await openLanguageFolder({ ...files, 'c.ts': text })
  const { languages } = folder
  const { signal } = new AbortController()
  expect(await languages.documentSymbols('c.ts', signal)).toBeUndefined()
  expect(await languages.folderSymbols('put', signal)).toEqual([])
  folder.open('c.ts')
  await vi.waitFor(() => expect(folder.statuses()[0]?.state).toBe('running'))
  const outline = await languages.documentSymbols('c.ts', signal)
  expect(outline?.symbols.map(({ name, kind, parent, nameLine }) => [name, kind, parent, nameLine])).toEqual([
    ['later', 'variable', null, 5],
    ['Store', 'class', null, 6],
    ['put', 'method', 1, 7],
    ['Id', 'type', null, 9],
  ])
  expect(outline?.symbols[2]).toMatchObject({ container: 'Store', path: 'c.ts', line: 7, endColumn: 17 })
  expect(await languages.folderSymbols('put', signal)).toMatchObject([{ name: 'put', path: 'c.ts', nameLine: 7 }])
})

it('leads to the types of the standard library, which the window reads by an id', async () => {
  folder = await openLanguageFolder({ ...files, 'd.ts': "export function f() {\n  return 'a'.trim()\n}\n" })
  const found = await folder.languages.definition(place(2, 15, 'd.ts'))
  expect(found).toMatchObject({ places: [], outside: [], name: 'trim' })
  const [library] = found?.libraries ?? []
  expect(library?.path).toMatch(/lib\.es5\.d\.ts$/)
  const { text } = await folder.languages.libraryFile(library?.id ?? '')
  expect(text.split('\n')[(library?.range.startLine ?? 0) - 1]).toContain('trim(): string')
  const calls = await folder.languages.callHierarchy(place(1, 17, 'd.ts'), 'outgoing')
  expect(calls?.calls).toMatchObject([{ item: { name: 'trim', library: library?.id, path: library?.path } }])
})

it('nothing starts in a folder without trust or with the setting off, and running servers stop', async () => {
  let enabled = false
  let trusted = true
  folder = await openLanguageFolder(files, {
    settings: () => ({
      enabled,
      maxMemoryMegabytes: 2048,
      registry: '',
      outsideSandbox: '',
      updateImportsOnFileMove: 'prompt',
    }),
    isTrusted: () => trusted,
  })
  folder.open('a.ts')
  expect(await folder.languages.definition(place(3, 21))).toBeUndefined()
  expect(folder.languages.state().servers[0]).toMatchObject({ state: 'off' })
  enabled = true
  await folder.languages.refresh()
  await vi.waitFor(() => expect(folder.languages.problems('a.ts').problems).not.toEqual([]))
  trusted = false
  await folder.languages.refresh()
  expect(folder.languages.state()).toMatchObject({ problems: [] })
  expect(folder.languages.state().servers.map(({ state }) => state)).toContain('off')
  expect(await folder.languages.hover(place(3, 21))).toBeUndefined()
})

it.runIf(process.platform === 'linux')('runs no npm for a file without tsconfig.json', async () => {
  folder = await openLanguageFolder({ 'a.js': "import express from 'express'\nexpress().listen()\n" })
  folder.open('a.js')
  await vi.waitFor(() => expect(folder.statuses()[0]?.state).toBe('running'))
  // It would start with the first answer about the file.
  expect(await folder.languages.hover(place(2, 1, 'a.js'))).toBeDefined()
  expect(await commandLines()).not.toContainEqual(expect.stringContaining('types-registry'))
})

/** Command lines of this process's descendants. */
async function commandLines(pid = process.pid): Promise<string[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const children = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  const below = children.join(' ').split(' ').filter(Boolean)
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return [line, ...(await Promise.all(below.map((child) => commandLines(Number(child))))).flat()]
}

it('a change on disk by another program reaches the server', async () => {
  folder = await openLanguageFolder(files)
  folder.open('a.ts')
  await vi.waitFor(() => expect(folder.problems.get('a.ts')?.problems[0]?.code).toBe('2322'))
  await folder.write('b.ts', files['b.ts'].replace('add', 'plus'))
  folder.languages.filesChanged([{ path: 'b.ts', change: 'changed', directory: false }])
  await vi.waitFor(() =>
    expect(folder.problems.get('a.ts')?.problems.map(({ code }) => code)).toEqual(expect.arrayContaining(['2305'])),
  )
})

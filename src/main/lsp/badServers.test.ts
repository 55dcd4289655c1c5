import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Diagnostic } from 'vscode-languageserver-protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LanguageServersDeps } from './languageServers.ts'
import { launchServer, type Launch } from './launchServer.ts'
import { textHash } from '../../shared/files/textHash.ts'
import type { FakeScript } from './testing/fakeServer.ts'
import { fakeFile, openWithFake } from './testing/languageFolder.ts'

// A scripted server over standard input and output that misbehaves.

type Folder = Awaited<ReturnType<typeof openWithFake>>
let folder: Folder
afterEach(() => folder.close())

async function open(script: FakeScript, options: Partial<LanguageServersDeps> = {}, text = 'one\ntwo\n') {
  folder = await openWithFake({ 'a.ts': text, 'b.ts': 'other\n' }, script, options)
  folder.open('a.ts')
  return folder
}
const state = () => folder.statuses()[0]?.state
const place = { path: 'a.ts', line: 1, column: 1 }
const range = (startLine: number, startCharacter: number, endLine: number, endCharacter: number) => ({
  start: { line: startLine, character: startCharacter },
  end: { line: endLine, character: endCharacter },
})
const logged = () => folder.languages.log('fake').join('\n')

describe('a server that ends', () => {
  it('at every start is restarted with delays, then stays down, and the user is informed once', async () => {
    await open({ crashAtStart: true })
    await vi.waitFor(() => expect(state()).toBe('failed'))
    expect(folder.launches).toHaveLength(4)
    expect(folder.notices).toEqual([expect.stringContaining('Fake server exited 4 times')])
    expect(await folder.languages.hover(place)).toBeUndefined()
    await folder.languages.restart('fake')
    await vi.waitFor(() => expect(state()).toBe('failed'))
    expect(folder.launches.length).toBeGreaterThan(4)
    expect(folder.notices).toHaveLength(1)
  })

  it('during a request is restarted and gets the unsaved text again', async () => {
    await open({ crashOn: 'textDocument/hover', diagnostics: [{ range: range(0, 0, 0, 3), message: 'bad' }] })
    folder.open('a.ts', 'unsaved\n')
    await vi.waitFor(() => expect(folder.languages.problems('a.ts').problems).toHaveLength(1))
    expect(await folder.languages.hover(place)).toBeNull()
    await vi.waitFor(() => expect(folder.launches).toHaveLength(2))
    await vi.waitFor(() => expect(folder.languages.problems('a.ts').problems).toHaveLength(1))
    expect(folder.buffers.get('a.ts')?.text).toBe('unsaved\n')
    expect(folder.notices).toEqual([])
  })
})

it('a server that is being launched while the folder closes ends with it', async () => {
  const entered = Promise.withResolvers<void>()
  const proceed = Promise.withResolvers<void>()
  const ended: string[] = []
  const launch: Launch = async (given) => {
    entered.resolve()
    await proceed.promise
    const server = await launchServer({
      ...given,
      mode: 'none',
      program: { ...given.program, kind: 'native', file: process.execPath },
      args: [fakeFile, '{}'],
    })
    void server.exited.then((reason) => ended.push(reason))
    return server
  }
  await open({}, { launch })
  await entered.promise

  const disposed = folder.languages.dispose()
  proceed.resolve()
  await disposed

  expect(ended).toHaveLength(1)
})

it('a server that does not answer gets no more than three chances before it is restarted', async () => {
  await open({ hangOn: ['textDocument/hover'] }, { times: { request: 30 } })
  await vi.waitFor(() => expect(state()).toBe('running'))
  for (let count = 0; count < 3; count += 1) expect(await folder.languages.hover(place)).toBeNull()
  await vi.waitFor(() => expect(folder.launches).toHaveLength(2))
  expect(folder.notices).toEqual([expect.stringContaining('It does not respond.')])
})

it('a server that does not finish starting is ended', async () => {
  await open({ hangOn: ['initialize'] }, { times: { initialize: 30 } })
  await vi.waitFor(() => expect(state()).toBe('failed'))
  expect(folder.notices).toHaveLength(1)
})

describe('what the user asked for', () => {
  const capabilities = { codeActionProvider: true, documentFormattingProvider: true }
  const organize = { path: 'a.ts', range: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 } }
  const indentation = { tabSize: 2, spaces: true }

  it('waits for a starting server', async () => {
    const edit = { range: range(0, 0, 0, 0), newText: '// ' }
    await open({ capabilities, answers: { 'textDocument/formatting': [edit] } }, { times: { start: 0 } })
    expect(state()).not.toBe('running')
    expect(await folder.languages.hover(place)).toBeUndefined()
    expect(await folder.languages.format('a.ts', undefined, indentation)).toMatchObject([{ text: '// ' }])
  })

  it('fails if the server does not respond, instead of having no result', async () => {
    const hangOn = ['textDocument/codeAction', 'textDocument/formatting']
    await open({ capabilities, hangOn }, { times: { request: 30 } })
    await expect(folder.languages.codeActions({ ...organize, kind: 'source.organizeImports' })).rejects.toThrow(
      'did not respond',
    )
    await expect(folder.languages.format('a.ts', undefined, indentation)).rejects.toThrow('did not respond')
    expect(await folder.languages.codeActions(organize)).toMatchObject({ actions: [] })
  })
})

it('a newer hover cancels the older one at the server', async () => {
  await open({ hangOn: ['textDocument/hover'] })
  await vi.waitFor(() => expect(state()).toBe('running'))
  const older = folder.languages.hover(place)
  await vi.waitFor(() => expect(logged()).toContain('textDocument/hover'))
  void folder.languages.hover({ ...place, column: 2 })
  expect(await older).toBeNull()
  await vi.waitFor(() => expect(logged()).toContain('cancelled'))
})

it('answers out of order reach the requests that they belong to', async () => {
  const hover = { contents: 'text' }
  const location = { uri: 'file:///elsewhere/x.ts', range: range(0, 0, 0, 1) }
  await open({
    outOfOrder: 'textDocument/references',
    capabilities: { referencesProvider: true },
    answers: { 'textDocument/references': [location], 'textDocument/hover': hover },
  })
  await vi.waitFor(() => expect(state()).toBe('running'))
  const both = Promise.all([folder.languages.references(place, 5), folder.languages.references(place, 5)])
  expect(await folder.languages.hover(place)).toMatchObject({ markdown: ['text'] })
  // The only place is outside the folder, so there is none to show.
  expect(await both).toEqual([null, null])
})

it('a flood of diagnostics reaches the window in few events, with a limited number per file', async () => {
  const diagnostics = Array.from({ length: 700 }, (_, index) => ({ range: range(0, 0, 0, 1), message: `${index}` }))
  await open({ diagnostics, flood: 100 })
  await vi.waitFor(() => expect(folder.problems.get('a.ts')).toMatchObject({ more: 200 }))
  expect(folder.problems.get('a.ts')?.problems).toHaveLength(500)
  expect(folder.problemEvents()).toBeLessThan(50)
})

it('a server that prints other text than messages is ended', async () => {
  await open({ garbage: true })
  await vi.waitFor(() => expect(folder.notices).toHaveLength(1))
  expect(folder.notices[0]).toContain('It printed text that is not a protocol message.')
})

it('a server that uses too much memory is ended', async () => {
  await open(
    { memory: 400 },
    {
      settings: () => ({
        enabled: true,
        maxMemoryMegabytes: 300,
        registry: '',
        outsideSandbox: '',
        updateImportsOnFileMove: 'prompt',
      }),
      times: { memory: 10 },
    },
  )
  await vi.waitFor(() => expect(folder.notices).toHaveLength(1))
  expect(folder.notices[0]).toMatch(/^Fake server is being restarted. It used more than 300 MB of memory/)
})

it('ranges beyond the end of the text become its end', async () => {
  await open({
    diagnostics: [
      { range: range(1, 2, 999, 999), message: 'far' },
      { range: { start: { line: -1, character: -5 }, end: { line: 0, character: 1 } }, message: 'negative' },
    ],
  })
  await vi.waitFor(() => expect(folder.problems.get('a.ts')?.problems).toHaveLength(2))
  expect(folder.problems.get('a.ts')?.problems.map((problem) => problem.range)).toEqual([
    { startLine: 1, startColumn: 1, endLine: 1, endColumn: 2 },
    { startLine: 2, startColumn: 3, endLine: 3, endColumn: 1 },
  ])
})

it('related places beyond the end, without a place or outside the folder do no harm', async () => {
  const place = (uri: string, line: number) => ({ location: { uri, range: range(line, 0, 1e300, 4) }, message: 'here' })
  await open({
    diagnostics: [
      {
        range: range(0, 0, 0, 3),
        message: 'bad',
        // The server sends what it likes.
        relatedInformation: [
          place('file:///FOLDER/b.ts', 1e9),
          place('file:///etc/shadow', 1),
          { message: 'nowhere' },
          null,
        ] as Diagnostic['relatedInformation'],
      },
    ],
  })
  await vi.waitFor(() => expect(folder.languages.problems('a.ts').problems).toHaveLength(1))
  expect(folder.languages.problems('a.ts').problems[0]?.related).toEqual([
    {
      path: 'b.ts',
      message: 'here',
      range: { startLine: 1e9 + 1, startColumn: 1, endLine: 2 ** 31 - 1, endColumn: 5 },
    },
  ])
})

describe('definitions outside the folder', () => {
  const { signal } = new AbortController()
  const capabilities = { callHierarchyProvider: true, workspaceSymbolProvider: true, documentSymbolProvider: true }
  const at = (uri: string) => ({ uri, range: range(0, 0, 0, 1) })
  const answers = (uri: string) => ({
    'textDocument/definition': [at(uri)],
    'textDocument/prepareCallHierarchy': [{ name: 'f', kind: 12, ...at(uri), selectionRange: range(0, 0, 0, 1) }],
    'workspace/symbol': [{ name: 'f', kind: 12, location: at(uri) }],
  })
  let outside: string
  beforeEach(async () => {
    outside = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-outside-')))
    await mkdir(path.join(outside, 'node_modules/p'), { recursive: true })
    await writeFile(path.join(outside, 'secret.ts'), 'secret')
    await writeFile(path.join(outside, 'node_modules/p/key.pem'), 'secret')
    await writeFile(path.join(outside, 'node_modules/p/index.d.ts'), 'export const p: 1\n')
    await symlink(path.join(outside, 'secret.ts'), path.join(outside, 'node_modules/p/link.ts'))
    await symlink('/etc', path.join(outside, 'node_modules/p/etc'))
  })
  afterEach(() => rm(outside, { recursive: true }))

  it.each([
    ['a system file', () => '/etc/shadow'],
    ['a source in no library', () => `${outside}/secret.ts`],
    ['a file that is no source', () => `${outside}/node_modules/p/key.pem`],
    ['a link out of a library', () => `${outside}/node_modules/p/link.ts`],
    ['a link to a folder', () => `${outside}/node_modules/p/etc/shadow`],
    ['a path with dots', () => `${outside}/node_modules/p/../../secret.ts`],
    ['a missing file', () => `${outside}/node_modules/p/missing.ts`],
  ])('that are %s give no text, and only the path to show', async (_title, named) => {
    const uri = pathToFileURL(named()).href
    await open({ capabilities, answers: answers(uri) })
    await vi.waitFor(() => expect(state()).toBe('running'))
    expect(await folder.languages.definition(place)).toMatchObject({
      places: [],
      libraries: [],
      outside: [path.resolve(named())],
    })
    expect(await folder.languages.callHierarchy(place, 'incoming')).toBeNull()
    expect(await folder.languages.folderSymbols('f', signal)).toEqual([])
    await expect(folder.languages.libraryFile(named())).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each(['https://example.com/x.ts', 'file://host/x.ts', 'untitled:x', 'nonsense'])(
    'of %s, which is no file of this machine, are left out',
    async (uri) => {
      await open({ answers: answers(uri) })
      await vi.waitFor(() => expect(state()).toBe('running'))
      expect(await folder.languages.definition(place)).toBeNull()
    },
  )

  it('in a package are read by id, unless the file was replaced by a link since', async () => {
    const file = path.join(outside, 'node_modules/p/index.d.ts')
    await open({ answers: answers(pathToFileURL(file).href) })
    await vi.waitFor(() => expect(state()).toBe('running'))
    const [library] = (await folder.languages.definition(place))?.libraries ?? []
    expect(await folder.languages.libraryFile(library?.id ?? '')).toEqual({ path: file, text: 'export const p: 1\n' })
    await rm(file)
    await symlink(path.join(outside, 'secret.ts'), file)
    await expect(folder.languages.libraryFile(library?.id ?? '')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('an outline of a server', () => {
  const { signal } = new AbortController()
  const capabilities = { documentSymbolProvider: true }

  it('with 100,000 symbols is truncated', async () => {
    await open({ capabilities, symbols: 100_000 })
    await vi.waitFor(() => expect(state()).toBe('running'))
    const outline = await folder.languages.documentSymbols('a.ts', signal)
    expect(outline).toMatchObject({ truncated: true, symbols: { length: 10_000 } })
  })

  it('that is nested without end is as deep as anybody reads, with an id of its own for each symbol', async () => {
    await open({ capabilities, symbols: 1000, nested: true })
    await vi.waitFor(() => expect(state()).toBe('running'))
    const symbols = (await folder.languages.documentSymbols('a.ts', signal))?.symbols ?? []
    expect(symbols).toHaveLength(50)
    expect(new Set(symbols.map(({ id }) => id)).size).toBe(50)
    expect(symbols.at(-1)?.parent).toBe(48)
  })

  it('without parents is nested by the ranges', async () => {
    const flat = (name: string, start: number, end: number) => ({
      name,
      kind: 12,
      location: { uri: 'file:///FOLDER/a.ts', range: range(start, 0, end, 1) },
    })
    await open(
      {
        capabilities,
        answers: { 'textDocument/documentSymbol': [flat('after', 3, 3), flat('in', 1, 1), flat('f', 0, 2)] },
      },
      {},
      '1\n2\n3\n4\n',
    )
    await vi.waitFor(() => expect(state()).toBe('running'))
    const outline = await folder.languages.documentSymbols('a.ts', signal)
    expect(outline?.symbols.map(({ name, parent }) => [name, parent])).toEqual([
      ['f', null],
      ['in', 0],
      ['after', null],
    ])
  })
})

it('a call hierarchy that goes in circles is answered one level at a time', async () => {
  const item = {
    name: 'f',
    kind: 12,
    uri: 'file:///FOLDER/a.ts',
    range: range(0, 0, 9, 9),
    selectionRange: range(0, 0, 0, 3),
  }
  await open({
    capabilities: { callHierarchyProvider: true },
    answers: {
      'textDocument/prepareCallHierarchy': [item],
      'callHierarchy/incomingCalls': Array.from({ length: 100 }, () => ({
        from: item,
        fromRanges: Array.from({ length: 5 }, () => range(1, 0, 1, 3)),
      })),
    },
  })
  await vi.waitFor(() => expect(state()).toBe('running'))
  const found = await folder.languages.callHierarchy(place, 'incoming')
  expect(found).toMatchObject({ item: { name: 'f' }, calls: { length: 100 }, more: 0 })
  expect(found?.calls[0]).toMatchObject({ item: found?.item, ranges: [{ startLine: 2 }] })
})

describe.each([
  // The column after "ñ😀", as each encoding counts it. The face is two units in UTF-16.
  ['utf-8', 6],
  ['utf-16', 3],
  ['utf-32', 2],
])('positions in %s', (positionEncoding, column) => {
  it('are converted in both directions', async () => {
    const text = 'ñ😀 x y\n'
    await open(
      {
        positionEncoding,
        diagnostics: [{ range: range(0, column + 1, 0, column + 2), message: 'x' }],
        capabilities: { textDocumentSync: 2 },
      },
      {},
      text,
    )
    await vi.waitFor(() => expect(folder.problems.get('a.ts')?.problems).toHaveLength(1))
    const found = folder.problems.get('a.ts')?.problems[0]?.range
    expect(found).toEqual({ startLine: 1, startColumn: 5, endLine: 1, endColumn: 6 })
    folder.open('a.ts', 'ñ😀x y\n')
    await vi.waitFor(() => expect(logged()).toContain('textDocument/didChange'))
    const change: unknown = JSON.parse(/textDocument\/didChange (.*)/.exec(logged())?.[1] ?? '')
    expect(change).toEqual([{ range: range(0, column, 0, column + 1), text: '' }])
  })
})

describe('edits of a server', () => {
  const action = { title: 'Fix', command: { title: 'Fix', command: 'fix' } }
  const capabilities = { codeActionProvider: true, executeCommandProvider: { commands: ['fix'] } }
  const everything = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 4 }
  const script = (edit: unknown): FakeScript => ({
    capabilities,
    edit,
    answers: { 'textDocument/codeAction': [action] },
  })
  const run = async () => {
    const list = await folder.languages.codeActions({ path: 'a.ts', range: everything })
    return folder.languages.runCodeAction(list?.id ?? '', 0)
  }

  it('during an action of the user are returned for the window to apply', async () => {
    await open(script({ changes: { 'b.ts': [{ range: range(0, 0, 0, 5), newText: 'new' }] } }))
    expect(await run()).toEqual([
      {
        path: 'b.ts',
        textHash: textHash('other\n'),
        edits: [{ range: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 6 }, text: 'new' }],
      },
    ])
    expect(await readFile(path.join(folder.root, 'b.ts'), 'utf8')).toBe('other\n')
  })

  it('that were computed for an earlier text are refused', async () => {
    const edit = { changes: { 'file:///FOLDER/a.ts': [{ range: range(0, 0, 0, 3), newText: 'uno' }] } }
    await open({
      capabilities: { codeActionProvider: true },
      answers: { 'textDocument/codeAction': [{ title: 'Fix', edit }] },
    })
    const list = await folder.languages.codeActions({ path: 'a.ts', range: everything })
    folder.open('a.ts', 'zero\none\ntwo\n')
    await expect(folder.languages.runCodeAction(list?.id ?? '', 0)).rejects.toThrow('has changed since')
    const again = await folder.languages.codeActions({ path: 'a.ts', range: everything })
    expect(await folder.languages.runCodeAction(again?.id ?? '', 0)).toMatchObject([{ path: 'a.ts' }])
  })

  it('for another version of an open file are refused', async () => {
    const textDocument = { uri: 'file:///FOLDER/a.ts', version: 7 }
    const edit = { documentChanges: [{ textDocument, edits: [{ range: range(0, 0, 0, 3), newText: 'uno' }] }] }
    await open(script(edit))
    await expect(run()).rejects.toThrow('has changed since')
  })

  it('outside the folder are refused', async () => {
    const outside = pathToFileURL('/etc/hosts').href
    await open(script({ changes: { [outside]: [{ range: range(0, 0, 0, 0), newText: 'x' }] } }))
    await expect(run()).rejects.toThrow('outside the folder')
  })

  it('that create or delete files are refused', async () => {
    await open(script({ documentChanges: [{ kind: 'delete', uri: pathToFileURL('/tmp/x').href }] }))
    await expect(run()).rejects.toThrow('a change that creates, renames or deletes files (delete)')
  })

  it('without an action of the user are refused, and the user is informed once', async () => {
    const edit = { changes: { [pathToFileURL('/etc/hosts').href]: [{ range: range(0, 0, 0, 0), newText: 'x' }] } }
    await open({ edit, editOnOpen: true })
    await vi.waitFor(() => expect(logged()).toContain('"applied":false'))
    folder.open('b.ts')
    await vi.waitFor(() => expect(logged().match(/"applied":false/g)).toHaveLength(2))
    expect(folder.notices).toEqual([expect.stringContaining('although you did not request it')])
    expect(await readFile(path.join(folder.root, 'a.ts'), 'utf8')).toBe('one\ntwo\n')
  })
})

describe('actions of a server for a save', () => {
  const all = { startLine: 1, startColumn: 1, endLine: 3, endColumn: 1 }
  const kinds = ['quickfix', 'source.fixAllNot', 'source.fixAll.fake', 'source.organizeImports', 'source.fixAll']
  const script = {
    capabilities: { codeActionProvider: true },
    answers: {
      'textDocument/codeAction': [
        ...kinds.map((kind) => ({ title: kind, kind, edit: { changes: {} } })),
        { title: 'Plain command', command: 'plain' },
      ],
    },
  }

  it('are those of the requested kind, even if the server returns others', async () => {
    await open(script)
    const titles = async (kind?: string) =>
      (await folder.languages.codeActions({ path: 'a.ts', range: all, kind }))?.actions.map(({ title }) => title)
    expect(await titles('source.fixAll')).toEqual(['source.fixAll.fake', 'source.fixAll'])
    expect(await titles()).toEqual([...kinds, 'Plain command'])
  })

  it('are not cancelled by the list for the light bulb', async () => {
    await open({ ...script, outOfOrder: 'textDocument/codeAction' })
    const save = folder.languages.codeActions({ path: 'a.ts', range: all, kind: 'source.organizeImports' })
    const lightBulb = folder.languages.codeActions({ path: 'a.ts', range: all })
    expect((await save)?.actions).toMatchObject([{ kind: 'source.organizeImports' }])
    expect((await lightBulb)?.actions).toHaveLength(6)
  })
})

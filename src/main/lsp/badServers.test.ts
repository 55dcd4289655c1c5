import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LanguageServersDeps } from './languageServers.ts'
import type { FakeScript } from './testing/fakeServer.ts'
import { openWithFake } from './testing/languageFolder.ts'

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
    expect(folder.notices).toEqual([expect.stringContaining('Fake server ended 4 times')])
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

it('a server that does not answer gets no more than three chances before it is restarted', async () => {
  await open({ hangOn: ['textDocument/hover'] }, { times: { request: 30 } })
  await vi.waitFor(() => expect(state()).toBe('running'))
  for (let count = 0; count < 3; count += 1) expect(await folder.languages.hover(place)).toBeNull()
  await vi.waitFor(() => expect(folder.launches).toHaveLength(2))
  expect(folder.notices).toEqual([expect.stringContaining('it does not answer')])
})

it('a server that does not finish starting is ended', async () => {
  await open({ hangOn: ['initialize'] }, { times: { initialize: 30 } })
  await vi.waitFor(() => expect(state()).toBe('failed'))
  expect(folder.notices).toHaveLength(1)
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
  expect(folder.notices[0]).toContain('it printed text that is not a message')
})

it('a server that uses too much memory is ended', async () => {
  await open(
    { memory: 400 },
    { settings: () => ({ enabled: true, maxMemoryMegabytes: 300, registry: '' }), times: { memory: 10 } },
  )
  await vi.waitFor(() => expect(folder.notices).toHaveLength(1))
  expect(folder.notices[0]).toMatch(/^Fake server was ended because it used more than 300 MB of memory/)
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
      { path: 'b.ts', edits: [{ range: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 6 }, text: 'new' }] },
    ])
    expect(await readFile(path.join(folder.root, 'b.ts'), 'utf8')).toBe('other\n')
  })

  it('outside the folder are refused', async () => {
    const outside = pathToFileURL('/etc/hosts').href
    await open(script({ changes: { [outside]: [{ range: range(0, 0, 0, 0), newText: 'x' }] } }))
    await expect(run()).rejects.toThrow('outside the folder')
  })

  it('that create or delete files are refused', async () => {
    await open(script({ documentChanges: [{ kind: 'delete', uri: pathToFileURL('/tmp/x').href }] }))
    await expect(run()).rejects.toThrow('wants to delete a file')
  })

  it('without an action of the user are refused, and the user is informed once', async () => {
    const edit = { changes: { [pathToFileURL('/etc/hosts').href]: [{ range: range(0, 0, 0, 0), newText: 'x' }] } }
    await open({ edit, editOnOpen: true })
    await vi.waitFor(() => expect(logged()).toContain('"applied":false'))
    folder.open('b.ts')
    await vi.waitFor(() => expect(logged().match(/"applied":false/g)).toHaveLength(2))
    expect(folder.notices).toEqual([expect.stringContaining('without an action of yours')])
    expect(await readFile(path.join(folder.root, 'a.ts'), 'utf8')).toBe('one\ntwo\n')
  })
})

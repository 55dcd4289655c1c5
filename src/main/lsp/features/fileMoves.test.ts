import { rename } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { textHash } from '../../../shared/files/textHash.ts'
import type { LanguageServersDeps } from '../languageServers.ts'
import type { FakeScript } from '../testing/fakeServer.ts'
import { openLanguageFolder, openWithFake, type LanguageFolder } from '../testing/languageFolder.ts'

let folder: LanguageFolder
afterEach(() => folder.close())

const logged = () => folder.languages.log('fake').join('\n')
const filters = [{ scheme: 'file', pattern: { glob: '**/*.ts' } }]
const importer = "import './a.ts'\n"
const change = (newText: string) => ({
  range: { start: { line: 0, character: 8 }, end: { line: 0, character: 14 } },
  newText,
})
const edit = { changes: { 'file:///FOLDER/b.ts': [change('./to/a.ts')] } }
const updated = {
  files: [
    {
      path: 'b.ts',
      textHash: textHash(importer),
      edits: [{ range: { startLine: 1, startColumn: 9, endLine: 1, endColumn: 15 }, text: './to/a.ts' }],
    },
  ],
  unclear: [],
  ask: true,
}

async function open(script: FakeScript, options: Partial<LanguageServersDeps> = {}) {
  folder = await openWithFake(
    { 'a.ts': '1\n', 'b.ts': importer, 'c.txt': '', 'sub/deep/d.ts': '', 'texts/e.txt': '', 'sub/f.ts': '' },
    { answers: { 'workspace/willRenameFiles': edit }, ...script },
    options,
  )
  folder.open('b.ts')
  await vi.waitFor(() => expect(folder.statuses()[0]?.state).toBe('running'))
}
const inCapabilities = { capabilities: { workspace: { fileOperations: { willRename: { filters } } } } }
const move = (from: string, to: string) => folder.languages.willMove([{ from, to }])

it('a moved file is sent to a server whose capabilities name its files, and its edits are returned', async () => {
  await open(inCapabilities)
  expect(await move('a.ts', 'to/a.ts')).toEqual(updated)
  expect(await move('c.txt', 'to/c.txt')).toBeNull()
  expect(logged().match(/willRenameFiles \[/g)).toHaveLength(1)
})

it('a server may register for moves after its start', async () => {
  await open({ register: { 'workspace/willRenameFiles': { filters }, 'workspace/didRenameFiles': { filters } } })
  await vi.waitFor(async () => expect(await move('a.ts', 'to/a.ts')).toEqual(updated))
  await rename(path.join(folder.root, 'a.ts'), path.join(folder.root, 'z.ts'))
  await folder.languages.didMove([{ from: 'a.ts', to: 'z.ts' }])
  await vi.waitFor(() => expect(logged()).toMatch(/didRenameFiles \[\{"oldUri":".*\/a\.ts","newUri":".*\/z\.ts"\}\]/))
})

it('a server that did not register gets no moves', async () => {
  await open({})
  expect(await move('a.ts', 'to/a.ts')).toBeNull()
  await folder.languages.didMove([{ from: 'x.ts', to: 'a.ts' }])
  expect(logged()).not.toContain('RenameFiles')
})

it('a folder is sent if it contains a file that the server registered for', async () => {
  await open(inCapabilities)
  expect(await move('sub', 'to')).toEqual(updated)
  expect(await move('texts', 'to')).toBeNull()
})

it('filters may name folders only, and ignore case', async () => {
  const of = (pattern: object) => ({
    capabilities: { workspace: { fileOperations: { willRename: { filters: [{ pattern }] } } } },
  })
  await open(of({ glob: '**/TEXTS', matches: 'folder', options: { ignoreCase: true } }))
  expect(await move('texts', 'to')).toEqual(updated)
  expect(await move('a.ts', 'to/a.ts')).toBeNull()
})

it('a server that does not answer, fails or crashes does not block a move', async () => {
  await open({ ...inCapabilities, hangOn: ['workspace/willRenameFiles'] }, { times: { moves: 30 } })
  expect(await move('a.ts', 'to/a.ts')).toBeNull()
  await vi.waitFor(() => expect(logged()).toContain('cancelled'))
  await folder.close()
  await open({ ...inCapabilities, crashOn: 'workspace/willRenameFiles' })
  expect(await move('a.ts', 'to/a.ts')).toBeNull()
})

it('changes outside of the folder or of which files exist are left out', async () => {
  for (const bad of [
    { changes: { 'file:///etc/hosts': [change('x')] } },
    { documentChanges: [{ kind: 'delete', uri: 'file:///FOLDER/b.ts' }] },
    { changes: 'nonsense' },
  ]) {
    await open({ ...inCapabilities, answers: { 'workspace/willRenameFiles': bad } })
    expect(await move('a.ts', 'to/a.ts')).toBeNull()
    await folder.close()
  }
})

it('contradictory edits are left out, and reported unless the entries move together', async () => {
  const contradictory = { changes: { 'file:///FOLDER/b.ts': [change('./x.ts'), change('./y.ts')] } }
  await open({ ...inCapabilities, answers: { 'workspace/willRenameFiles': contradictory } })
  const moves = (second: string) =>
    folder.languages.willMove([
      { from: 'a.ts', to: 'to/a.ts' },
      { from: 'sub/f.ts', to: second },
    ])
  expect(await moves('to/f.ts')).toEqual({ files: [], unclear: ['b.ts'], ask: true })
  const together = [
    { from: 'a.ts', to: 'to/a.ts' },
    { from: 'b.ts', to: 'to/b.ts' },
  ]
  expect(await folder.languages.willMove(together)).toBeNull()
})

it.each([
  ['always', { ...updated, ask: false }],
  ['never', null],
] as const)('the setting %s decides without a question', async (updateImportsOnFileMove, expected) => {
  const settings = { enabled: true, maxMemoryMegabytes: 2048, registry: '', outsideSandbox: '' }
  await open(inCapabilities, { settings: () => ({ ...settings, updateImportsOnFileMove }) })
  expect(await move('a.ts', 'to/a.ts')).toEqual(expected)
  expect(logged().includes('willRenameFiles')).toBe(expected !== null)
})

it('TypeScript 7 updates the importers of a moved file and of a moved folder', async () => {
  folder = await openLanguageFolder(
    {
      'tsconfig.json': '{"compilerOptions":{"module":"nodenext","allowImportingTsExtensions":true,"noEmit":true}}',
      'package.json': '{"type":"module"}',
      'src/a.ts': 'export const a = 1\n',
      'src/b.ts': "import { a } from './a.ts'\nexport const b = a\n",
      'src/lib/c.ts': "import { a } from '../a.ts'\nexport const c = a\n",
      'main.ts': "import { b } from './src/b.ts'\nimport { c } from './src/lib/c.ts'\nconsole.log(b, c)\n",
    },
    { times: { moves: 30_000 } },
  )
  folder.open('main.ts')
  await vi.waitFor(() => expect(folder.statuses()[0]?.state).toBe('running'))
  const texts = async (from: string, to: string) =>
    (await move(from, to))?.files
      .flatMap(({ path: file, edits }) => edits.map(({ text }) => `${file} ${text}`))
      .toSorted()
  expect(await texts('src/a.ts', 'src/lib/a.ts')).toEqual(['src/b.ts ./lib/a.ts', 'src/lib/c.ts ./a.ts'])
  expect(await texts('src/lib', 'lib')).toEqual(['main.ts ./lib/c.ts', 'src/lib/c.ts ../src/a.ts'])
})

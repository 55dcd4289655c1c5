import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { toFailure } from '../../shared/errors.ts'
import { isUserFile } from '../../shared/files/userFiles.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createKeybindingStore } from './keybindingStore.ts'
import { readSnippetFolder } from './snippetFiles.ts'
import { createUserFiles, type UserFiles } from './userFiles.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let applied: unknown[]
let files: UserFiles
const stored = (name: string) => readFile(path.join(folder.root, name), 'utf8')
const failure = (file: string, text: string) =>
  files.write(file, text).then(
    () => 'saved',
    (error: unknown) => toFailure(error).message,
  )

beforeEach(async () => {
  folder = await temporaryFolder()
  applied = []
  const keybindings = await createKeybindingStore(
    folder.root,
    (message) => applied.push(message),
    (changed) => applied.push(changed),
  )
  files = createUserFiles(folder.root, keybindings, (file) => applied.push(file))
})
afterEach(() => folder.remove())

it('saved shortcuts apply and keep the fields of VS Code', async () => {
  const text = '[{ "key": "f9", "command": "file.save", "args": { "a": 1 } }]'
  expect(await files.read('keybindings.json')).toEqual({ text: '', exists: false })
  await files.write('keybindings.json', text)
  expect(applied).toEqual([JSON.parse(text)])
  expect(JSON.parse((await files.read('keybindings.json')).text)).toEqual(JSON.parse(text))
})

it.each([
  ['a missing comma', '[\n  { "key": "f9"\n    "command": "x" }\n]', 'Line 3: comma expected.'],
  ['a comment, which would be lost', '// mine\n[]', 'Line 1: comments are not allowed in this file.'],
  [
    'a shortcut without a command',
    '[\n  { "key": "f9", "command": "a" },\n  { "key": "f8" }\n]',
    /^Line 3: 1\.command: /,
  ],
  ['an object', '{}', /^Line 1: keybindings\.json: /],
  ['an empty text', '', 'Line 1: value expected.'],
])('shortcuts with %s are refused with the line, and the stored ones stay', async (_name, text, message) => {
  await files.write('keybindings.json', '[]')
  expect(await failure('keybindings.json', text)).toMatch(message)
  expect(await stored('keybindings.json')).toBe('[]\n')
})

it('snippets keep their comments and are suggested after they are saved', async () => {
  const text = '{\n  // mine\n  "Log": { "prefix": "log", "body": ["console.log($1)"], },\n}\n'
  await files.write('snippets/javascript.json', text)
  expect(applied).toEqual(['snippets/javascript.json'])
  expect(await stored('snippets/javascript.json')).toBe(text)
  expect(await readSnippetFolder(path.join(folder.root, 'snippets'))).toMatchObject([
    { name: 'Log', prefixes: ['log'], languages: ['javascript'] },
  ])
  expect(await files.snippets()).toEqual(['snippets/javascript.json'])
  expect(await readdir(path.join(folder.root, 'snippets'))).toEqual(['javascript.json'])
})

it('shortcuts that were added and removed elsewhere meanwhile stay so', async () => {
  const [one, two, three] = ['f7', 'f8', 'f9'].map((key) => ({ key, command: `test.${key}` }))
  const base = JSON.stringify([one, two])
  await files.write('keybindings.json', base)
  await files.write('keybindings.json', JSON.stringify([two, three]), { base })
  await files.write('keybindings.json', JSON.stringify([one, { ...two, when: 'x' }]), { base })
  expect(JSON.parse(await stored('keybindings.json'))).toEqual([{ ...two, when: 'x' }, three])
})

it('a shortcut that was changed here and elsewhere is named, until the user overwrites it', async () => {
  const base = '[{ "key": "f8", "command": "a" }]'
  await files.write('keybindings.json', '[{ "key": "f8", "command": "b" }]')
  const save = (overwrite: boolean) =>
    files.write('keybindings.json', '[{ "key": "f8", "command": "c" }]', { base, overwrite })
  await expect(save(false)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('f8 (a)') })
  expect(await stored('keybindings.json')).toContain('"b"')
  await save(true)
  expect(await stored('keybindings.json')).toContain('"c"')
})

it('snippets that changed elsewhere meanwhile are merged, and a change of the same line is refused', async () => {
  const text = (one: string, two: string) => `{\n  "A": { "body": "${one}" },\n  "B": { "body": "${two}" }\n}\n`
  const file = 'snippets/a.json'
  await files.write(file, text('a', 'other'))
  await files.write(file, text('mine', 'b'), { base: text('a', 'b') })
  expect(await stored(file)).toBe(text('mine', 'other'))
  await expect(files.write(file, text('a', 'mine'), { base: text('a', 'b') })).rejects.toThrow(
    'while you edited it: lines 2-3.',
  )
  expect(await stored(file)).toBe(text('mine', 'other'))
})

it('a snippet without a body is refused with its line', async () => {
  expect(await failure('snippets/a.code-snippets', '{\n  "A": { "body": "a" },\n  "B": { "prefix": "b" }\n}')).toMatch(
    /^Line 3: B\.body: /,
  )
})

it('a stored file with mistakes is shown as it is', async () => {
  await mkdir(path.join(folder.root, 'snippets'))
  await writeFile(path.join(folder.root, 'snippets/c.json'), '{ broken')
  expect(await files.read('snippets/c.json')).toEqual({ text: '{ broken', exists: true })
})

it('no other file of the user data folder has such a name', () => {
  for (const file of ['keybindings.json', 'snippets/c++.json', 'snippets/my own.code-snippets'])
    expect(isUserFile(file)).toBe(true)
  for (const file of [
    'settings.json',
    'secrets.json',
    '../keybindings.json',
    'snippets/../secrets.json',
    'snippets/.hidden.json',
    'snippets/a/b.json',
    String.raw`snippets/..\..\secrets.json`,
    'snippets/a.txt',
    'snippets/a.json\0',
  ])
    expect(isUserFile(file)).toBe(false)
})

import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWorkspace, type Workspace } from './containment.ts'
import { respellPath } from './pathSpelling.ts'
import { addFolders, removeFolder, saveWorkspaceAs, type MultiRoot } from './multiRoot.ts'

let folder: string
let links: string

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'tizona-multi-root-')))
  links = path.join(folder, 'data', 'workspaces')
  for (const each of ['work/api/src', 'work/web', 'data']) await mkdir(path.join(folder, each), { recursive: true })
  await writeFile(path.join(folder, 'work/api/src/main.ts'), 'main')
  await writeFile(path.join(folder, 'work/web/page.html'), 'page')
  await writeFile(path.join(folder, 'work/both.code-workspace'), '{"folders": [{"path": "api"}, {"path": "web"}]}')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const at = (relative: string): string => path.join(folder, relative)
const open = (file: string): Promise<Workspace> => openWorkspace(file, { links, dataFolders: [at('data')] })

function multiRootOf({ multiRoot }: Workspace): MultiRoot {
  if (!multiRoot) throw new Error('It is a single folder.')
  return multiRoot
}

async function define(text: string | object): Promise<Workspace> {
  await writeFile(at('work/own.code-workspace'), typeof text === 'string' ? text : JSON.stringify(text))
  return open(at('work/own.code-workspace'))
}

async function codeOf(act: Promise<unknown>): Promise<unknown> {
  return act.then(
    () => 'none',
    (error: unknown) => (error as { code?: unknown }).code,
  )
}

test('paths begin with the name of a folder', async () => {
  const workspace = await open(at('work/both.code-workspace'))

  const found = await workspace.resolve('api/src/main.ts')

  expect(found).toEqual({
    absolute: at('work/api/src/main.ts'),
    relative: 'api/src/main.ts',
    exists: true,
    type: 'file',
  })
  expect(await workspace.resolve(at('work/web/page.html'))).toMatchObject({ relative: 'web/page.html' })
  expect(await workspace.resolve(path.join(workspace.root, 'web/page.html'))).toMatchObject({
    relative: 'web/page.html',
  })
  expect(await workspace.resolve('api/../web/page.html')).toMatchObject({ relative: 'web/page.html' })
  expect(await workspace.resolve('.')).toMatchObject({ relative: '.', type: 'directory' })
  expect(workspace.relative(at('work/web'))).toBe('web')
})

test('a path without the name of a folder is refused, because stored paths of a removed folder look like that', async () => {
  const workspace = await open(at('work/both.code-workspace'))

  await expect(workspace.resolve('src/main.ts')).rejects.toThrow('is in no folder of the workspace')
  await expect(workspace.resolve('new.ts', { missing: 'allow' })).rejects.toMatchObject({
    next: 'Begin the path with the name of a folder: "api/", "web/".',
  })
})

test('a model may leave out the name of the only folder that contains a path', async () => {
  const workspace = await open(at('work/both.code-workspace'))
  expect(await respellPath('src/main.ts', workspace)).toBe('api/src/main.ts')

  await mkdir(at('work/web/src'))
  await writeFile(at('work/web/src/main.ts'), 'other')

  expect(await respellPath('src/main.ts', workspace)).toBe('src/main.ts')
})

test.each([
  ['the folder above', '../outside.txt'],
  ['another folder', 'work/other/secret.txt'],
  ['a link to it', 'api/link/secret.txt'],
  ['the data folder', 'data/settings.json'],
  ['a sibling whose name begins like a folder', 'work/api-secret/key.txt'],
  ['the folder with the links of another workspace', 'data/workspaces/other/x'],
])('refuses %s', async (_, given) => {
  for (const each of ['work/other', 'work/api-secret', 'data/workspaces/other'])
    await mkdir(at(each), { recursive: true })
  for (const file of [
    'work/other/secret.txt',
    'work/api-secret/key.txt',
    'data/settings.json',
    'data/workspaces/other/x',
  ])
    await writeFile(at(file), 'secret')
  await symlink(at('work/other'), at('work/api/link'))
  const workspace = await open(at('work/both.code-workspace'))

  const requested = given.startsWith('..') || given.startsWith('api/') ? given : at(given)

  expect(await codeOf(workspace.resolve(requested))).toBe('outside_workspace')
})

test('a link from one folder to another stays in the workspace', async () => {
  await symlink(at('work/web'), at('work/api/pages'))
  const workspace = await open(at('work/both.code-workspace'))

  expect(await workspace.resolve('api/pages/page.html')).toMatchObject({ relative: 'web/page.html' })
})

test('two folders of one name get different names, whether they exist or not', async () => {
  await mkdir(at('work/c/api'), { recursive: true })
  const workspace = await define({
    folders: [
      { path: 'a/api' },
      { path: 'api' },
      { path: 'c/api' },
      { path: 'web', name: '../x' },
      { path: 'c', name: '~' },
    ],
  })

  expect(workspace.folders).toEqual([
    { name: 'api-2', path: at('work/api') },
    { name: '..-x', path: at('work/web') },
    { name: 'folder', path: at('work/c') },
  ])
  expect(workspace.multiRoot?.missing.map((each) => each.split(':')[0])).toEqual(['api', 'api-3'])
})

test('a folder inside another one is shown there only', async () => {
  const workspace = await define({ folders: [{ path: 'api/src' }, { path: 'api' }, { path: 'api', name: 'again' }] })

  expect(workspace.folders).toEqual([{ name: 'api', path: at('work/api') }])
  expect(workspace.multiRoot?.missing).toEqual([
    'src: It is shown in api, which contains it.',
    'again: It is shown in api, which contains it.',
  ])
})

test.each([
  ['no JSON', 'folders:', 'invalid_arguments'],
  ['no list', '{"folders": 1}', 'invalid_arguments'],
  ['deep JSON', '['.repeat(100_000), 'invalid_arguments'],
  ['no folder', '{"folders": []}', 'not_found'],
  ['only missing folders', '{"folders": [{"path": "none"}, {"uri": "vscode-remote://x/y"}, 1]}', 'not_found'],
  ['a data folder', '{"folders": [{"path": "../data"}]}', 'not_found'],
  ['too many folders', JSON.stringify({ folders: Array.from({ length: 101 }, () => ({ path: 'api' })) }), 'too_large'],
  ['a huge file', ' '.repeat(1024 * 1024 + 1), 'too_large'],
])('refuses a file with %s', async (_, text, code) => {
  expect(await codeOf(define(text))).toBe(code)
})

test('a name never means another folder, because checkpoints and conversations contain it', async () => {
  await mkdir(at('work/other/api'), { recursive: true })
  const { root } = await define({ folders: [{ path: 'api' }, { path: 'web' }] })

  const changed = await define({ folders: [{ path: 'other/api' }, { path: 'web', name: 'site' }] })
  expect(changed.root).toBe(root)
  expect(changed.folders).toEqual([
    { name: 'api-2', path: at('work/other/api') },
    { name: 'site', path: at('work/web') },
  ])

  const back = await define({ folders: [{ path: 'api' }, { path: 'other/api' }] })
  expect(back.folders?.map(({ name }) => name)).toEqual(['api', 'api-2'])
})

test('the links follow the file, and lead nowhere else', async () => {
  const { root } = await open(at('work/both.code-workspace'))
  expect((await readdir(root)).toSorted()).toEqual(['api', 'web'])

  await writeFile(at('work/both.code-workspace'), '{"folders": [{"path": "web", "name": "site"}]}')
  const changed = await open(root)

  expect(changed.root).toBe(root)
  expect((await readdir(root)).toSorted()).toEqual(['api', 'site', 'web'])
  expect(await realpath(path.join(root, 'site'))).toBe(at('work/web'))
})

test('a single folder becomes the first of an unsaved workspace, which keeps its identity when it is saved', async () => {
  const single = await open(at('work/api'))

  const unsaved = await open(await addFolders(single, [at('work/web'), at('work/api/src')], links))
  expect(unsaved.multiRoot).toMatchObject({ untitled: true, missing: [] })
  expect(unsaved.folders?.map(({ name }) => name)).toEqual(['api', 'web'])

  const saved = await open(await saveWorkspaceAs(multiRootOf(unsaved), at('work/saved'), false))
  expect(saved.multiRoot).toMatchObject({ untitled: false, file: at('work/saved.code-workspace'), root: unsaved.root })
  expect(JSON.parse(await readFile(at('work/saved.code-workspace'), 'utf8'))).toMatchObject({
    folders: [{ path: 'api' }, { path: 'web' }],
  })
  expect((await open(unsaved.root)).multiRoot?.file).toBe(at('work/saved.code-workspace'))
})

test('saving replaces a file only if that is allowed', async () => {
  const unsaved = await open(await addFolders(await open(at('work/api')), [at('work/web')], links))

  const act = saveWorkspaceAs(multiRootOf(unsaved), at('work/both.code-workspace'), false)

  expect(await codeOf(act)).toBe('already_exists')
  await saveWorkspaceAs(multiRootOf(unsaved), at('work/both.code-workspace'), true)
})

test('changing the folders keeps comments, settings and unknown keys of the file', async () => {
  const workspace = await define(`{
\t// The service
\t"folders": [{ "path": "api" }, { "path": "./web", "name": "pages" }],
\t"settings": { "editor.tabSize": 3 }, // kept
}`)
  await mkdir(at('work/more'))

  await addFolders(workspace, [at('work/more')], links)
  await removeFolder(multiRootOf(workspace), 'pages')

  const text = await readFile(at('work/own.code-workspace'), 'utf8')
  expect(text).toContain('// The service')
  expect(text).toContain('"settings": { "editor.tabSize": 3 }, // kept')
  expect((await open(at('work/own.code-workspace'))).folders?.map(({ name }) => name)).toEqual(['api', 'more'])
})

test.each([
  '{"folders": [{"path": "api"}, {"path": "web"}]}',
  '{"folders": [{"path": "api"}, {"path": "web"},],\n"settings": {}}',
  '{\n  "folders": [\n    { "path": "api" },\n    { "path": "web" } // the pages\n  ]\n}\n',
])('the file is valid after any folder was removed: %s', async (text) => {
  for (const [name, kept] of [
    ['api', 'web'],
    ['web', 'api'],
  ] as const) {
    await removeFolder(multiRootOf(await define(text)), name)

    expect((await open(at('work/own.code-workspace'))).folders?.map((folder) => folder.name)).toEqual([kept])
  }
})

test('the last folder cannot be removed, and no folder is added twice', async () => {
  const workspace = await define({ folders: [{ path: 'api' }] })

  expect(await codeOf(removeFolder(multiRootOf(workspace), 'api'))).toBe('refused')
  expect(await codeOf(removeFolder(multiRootOf(workspace), 'none'))).toBe('not_found')
  expect(await codeOf(addFolders(workspace, [at('work/api/src')], links))).toBe('already_exists')
})

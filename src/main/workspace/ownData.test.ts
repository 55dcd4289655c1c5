import { execFile } from 'node:child_process'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSearch } from '../search/search.ts'
import { createFileNameSearch } from '../search/fileNameSearch.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace, type Workspace } from './containment.ts'
import { createFileOperations } from './fileOperations.ts'
import { expectFailure } from './testing/disk.ts'

// The user opens a home folder, and Tizona's data folder is in it.

let home: Awaited<ReturnType<typeof temporaryFolder>>
let workspace: Workspace
const never = new AbortController().signal

beforeEach(async () => {
  home = await temporaryFolder({
    'notes.txt': 'needle',
    'config/Tizona/settings.json': '{ "needle": 1 }',
    'config/Tizona/backups/a.txt': 'needle',
    'config/other/app.json': 'needle',
    'dotfiles/secrets.json': 'needle',
  })
  await symlink(path.join(home.root, 'dotfiles/secrets.json'), path.join(home.root, 'config/Tizona/secrets.json'))
  workspace = await openWorkspace(home.root, { dataFolders: [path.join(home.root, 'config/Tizona')] })
})
afterEach(() => home.remove())

describe("Tizona's own data inside the workspace", () => {
  it.each([
    'config/Tizona',
    'config/Tizona/settings.json',
    'config/Tizona/new.json',
    'config/tizona/settings.json',
    'config/TIZONA/new/deep.json',
    './config/other/../Tizona/settings.json',
    'config/Tizona/secrets.json',
    'dotfiles/secrets.json',
  ])('%s is refused', async (name) => {
    await expectFailure(workspace.resolve(name, { missing: 'allow' }), 'outside_workspace')
    await expectFailure(workspace.resolve(name, { missing: 'allow', symlink: 'keep' }), 'outside_workspace')
  })

  it('is refused through links to it, to a file in it and to a missing file in it', async () => {
    await symlink('config/Tizona', path.join(home.root, 'link'))
    await symlink('config/Tizona/settings.json', path.join(home.root, 'file'))
    await symlink('config/Tizona/missing.json', path.join(home.root, 'dangling'))
    for (const name of ['link/settings.json', 'link/new.json', 'file', 'dangling'])
      await expectFailure(workspace.resolve(name, { missing: 'allow' }), 'outside_workspace')
    // The link itself may be deleted.
    expect((await workspace.resolve('link', { symlink: 'keep' })).type).toBe('symlink')
  })

  it.runIf(process.platform === 'linux')('is refused through the file system of a process', async () => {
    for (const prefix of ['/proc/self/root', `/proc/${process.pid}/root`, '/proc/self/cwd/..', '/dev/fd/../root'])
      await expectFailure(
        workspace.resolve(`${prefix}${home.root}/config/Tizona/settings.json`, { missing: 'allow' }),
        'outside_workspace',
      )
  })

  it('is refused through a second mount of the same folder', async (test) => {
    await mkdir(path.join(home.root, 'mounted'))
    const run = promisify(execFile)
    const mounted = await run('mount', [
      '--bind',
      path.join(home.root, 'config'),
      path.join(home.root, 'mounted'),
    ]).then(
      () => true,
      () => false,
    )
    if (!mounted) test.skip('a folder can only be mounted a second time by root on Linux')
    try {
      await expectFailure(workspace.resolve('mounted/Tizona/settings.json'), 'outside_workspace')
      await expectFailure(workspace.resolve('mounted/Tizona/new.json', { missing: 'allow' }), 'outside_workspace')
      expect((await workspace.resolve('mounted/other/app.json')).type).toBe('file')
    } finally {
      await run('umount', [path.join(home.root, 'mounted')])
    }
  })

  it('is neither deleted, moved nor copied with a folder above it', async () => {
    const files = createFileOperations(workspace)
    await expectFailure(files.delete('config', { recursive: true }), 'outside_workspace')
    await expectFailure(files.check({ kind: 'delete', path: 'config', recursive: true }), 'outside_workspace')
    await expectFailure(files.move('config', 'moved'), 'outside_workspace')
    await expectFailure(files.copy('config', 'copied'), 'outside_workspace')
    expect(await readdir(path.join(home.root, 'config/Tizona'))).toHaveLength(3)
    await files.move('config/other', 'config/renamed')
  })

  it('is left out of listings, searches and file names', async () => {
    const files = createFileOperations(workspace)
    expect((await files.list('config')).map(({ name }) => name)).toEqual(['other'])
    const search = createSearch(workspace)
    const { matches } = await search.text(
      { pattern: 'needle', globs: ['**/*.json', '**/*.txt', '.*'] },
      { signal: never },
    )
    expect(matches.map(({ path: found }) => found)).toEqual(['config/other/app.json', 'notes.txt'])
    expect((await search.files({ glob: '**/*' }, { signal: never })).paths).toEqual([
      'config/other/app.json',
      'notes.txt',
    ])
    expect(await createFileNameSearch(workspace).find('', 10, never)).toEqual(['config/other/app.json', 'notes.txt'])
    const tree = await search.tree({ depth: 3, skip: new Set() }, { signal: never })
    expect(JSON.stringify(tree.root)).not.toContain('Tizona')
  })

  it('cannot be opened as a workspace, nor a folder in it, except for the tour', async () => {
    const dataFolders = [path.join(home.root, 'config/Tizona')]
    for (const name of ['config/Tizona', 'config/Tizona/backups'])
      await expectFailure(openWorkspace(path.join(home.root, name), { dataFolders }), 'outside_workspace')
    const tour = await openWorkspace(path.join(home.root, 'config/Tizona/backups'), { dataFolders, insideData: true })
    expect((await tour.resolve('a.txt')).type).toBe('file')
  })

  it('is refused before it exists', async () => {
    const early = await openWorkspace(home.root, { dataFolders: [path.join(home.root, 'later/data')] })
    await expectFailure(early.resolve('later/data/settings.json', { missing: 'allow' }), 'outside_workspace')
  })
})

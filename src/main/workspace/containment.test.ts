import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { asUnprivileged, expectFailure } from './testing/disk.ts'
import { openWorkspace, spellingOnDisk, type Workspace } from './containment.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let root: string
let outside: string
let workspace: Workspace

beforeEach(async () => {
  folder = await temporaryFolder({
    'project/src/main.ts': 'main',
    'project/readme.md': 'readme',
    'project-evil/secret.txt': 'secret',
    'PROJECT/secret.txt': 'secret',
    'outside/secret.txt': 'secret',
  })
  root = path.join(folder.root, 'project')
  outside = path.join(folder.root, 'outside')
  workspace = await openWorkspace(root)
})
afterEach(() => folder.remove())

describe('resolving a path inside the workspace', () => {
  it('accepts relative, absolute and non-normalized paths', async () => {
    const expected = { absolute: path.join(root, 'src/main.ts'), relative: 'src/main.ts', exists: true, type: 'file' }
    expect(await workspace.resolve('src/main.ts')).toEqual(expected)
    expect(await workspace.resolve('./src/../src//main.ts')).toEqual(expected)
    expect(await workspace.resolve(path.join(root, 'src/main.ts'))).toEqual(expected)
    expect(await workspace.resolve('../project/src/main.ts')).toEqual(expected)
    expect(await workspace.resolve('.')).toEqual({ absolute: root, relative: '.', exists: true, type: 'directory' })
  })

  it('accepts a path through a symlink to the root', async () => {
    const link = path.join(folder.root, 'link-to-project')
    await symlink(root, link)
    expect((await workspace.resolve(path.join(link, 'src/main.ts'))).relative).toBe('src/main.ts')
    const opened = await openWorkspace(link)
    expect(opened.root).toBe(root)
    expect((await opened.resolve(path.join(link, 'new/file.ts'), { missing: 'allow' })).relative).toBe('new/file.ts')
  })

  it('returns the target of a symlink that stays inside', async () => {
    await symlink('src', path.join(root, 'code'))
    expect(await workspace.resolve('code/main.ts')).toMatchObject({ relative: 'src/main.ts', type: 'file' })
    expect(await workspace.resolve('code', { symlink: 'keep' })).toMatchObject({ relative: 'code', type: 'symlink' })
  })

  it('accepts names that begin with dots or a tilde', async () => {
    await writeFile(path.join(root, '..config'), '')
    await mkdir(path.join(root, '~'))
    expect((await workspace.resolve('..config')).relative).toBe('..config')
    expect((await workspace.resolve('./~')).relative).toBe('~')
  })

  it('accepts a missing file with missing parents if missing paths are allowed', async () => {
    const missing = await workspace.resolve('a/b/c.txt', { missing: 'allow' })
    expect(missing).toEqual({
      absolute: path.join(root, 'a/b/c.txt'),
      relative: 'a/b/c.txt',
      exists: false,
      type: 'missing',
    })
    await expectFailure(workspace.resolve('a/b/c.txt'), 'not_found')
  })
})

describe('a path outside the workspace is rejected', () => {
  const refused = (given: string) =>
    Promise.all([
      expectFailure(workspace.resolve(given), 'outside_workspace'),
      expectFailure(workspace.resolve(given, { missing: 'allow' }), 'outside_workspace'),
      expectFailure(workspace.resolve(given, { missing: 'allow', symlink: 'keep' }), 'outside_workspace'),
    ])

  it('through ".."', async () => {
    await refused('../outside/secret.txt')
    await refused('src/../../outside/secret.txt')
    await refused('missing/../../outside')
    await refused('..')
  })
  it('as an absolute path', async () => {
    await refused('/etc/passwd')
    await refused('/')
    await refused(path.join(outside, 'secret.txt'))
  })
  it('in a sibling folder whose name starts with the name of the root', () => refused('../project-evil/secret.txt'))
  it('in a different folder whose name differs only in case', async () => {
    // On a case-insensitive disk, PROJECT is the workspace itself.
    if ((await openWorkspace(path.join(folder.root, 'PROJECT'))).root !== root) await refused('../PROJECT/secret.txt')
  })
  it('in the home folder', async () => {
    await refused('~')
    await refused('~/.ssh/id_rsa')
    expect(homedir()).not.toBe(root)
  })
  it('through missing parents', () => refused('../nothing/here/at/all.txt'))
  it('through a symlink to an outside folder, for existing and missing files', async () => {
    await symlink(outside, path.join(root, 'door'))
    await refused('door/secret.txt')
    await refused('door/new.txt')
    await refused('door/new/deep.txt')
    await expectFailure(workspace.resolve('door'), 'outside_workspace')
  })
  it('through a relative symlink, and through a chain of them', async () => {
    await symlink('../outside', path.join(root, 'one'))
    await symlink('one', path.join(root, 'two'))
    await refused('two/secret.txt')
  })
  it('through a dangling symlink whose target a write would create outside', async () => {
    await symlink(path.join(outside, 'not-yet.txt'), path.join(root, 'dangling'))
    await expectFailure(workspace.resolve('dangling', { missing: 'allow' }), 'outside_workspace')
    await symlink('dangling', path.join(root, 'dangling-twice'))
    await expectFailure(workspace.resolve('dangling-twice', { missing: 'allow' }), 'outside_workspace')
    await symlink(path.join(outside, 'nowhere'), path.join(root, 'dangling-folder'))
    await refused('dangling-folder/file.txt')
  })
})

it('a dangling symlink that stays inside resolves to its target', async () => {
  await symlink('src/later.ts', path.join(root, 'later'))
  expect(await workspace.resolve('later', { missing: 'allow' })).toMatchObject({
    relative: 'src/later.ts',
    exists: false,
  })
  await expectFailure(workspace.resolve('later'), 'not_found')
})

it('a symlink out of the workspace can be resolved without following it, to delete it', async () => {
  await symlink(outside, path.join(root, 'door'))
  expect(await workspace.resolve('door', { symlink: 'keep' })).toMatchObject({ relative: 'door', type: 'symlink' })
})

describe('an invalid path is rejected', () => {
  it('when it is empty or blank', async () => {
    await expectFailure(workspace.resolve(''), 'invalid_path')
    await expectFailure(workspace.resolve('  '), 'invalid_path')
  })
  it('when it contains a NUL', () => expectFailure(workspace.resolve('src/main.ts\0.png'), 'invalid_path'))
  it('when a component is too long', () =>
    expectFailure(workspace.resolve('x'.repeat(300), { missing: 'allow' }), 'invalid_path'))
  it('when it goes through a file', () =>
    expectFailure(workspace.resolve('readme.md/inside', { missing: 'allow' }), 'not_a_directory'))
  it('when its symlinks form a cycle', async () => {
    await symlink('b', path.join(root, 'a'))
    await symlink('a', path.join(root, 'b'))
    await expectFailure(workspace.resolve('a', { missing: 'allow' }), 'invalid_path')
  })
})

describe('without permission', () => {
  it('a path in an unreadable folder fails, and a path outside reveals only that it is outside', async () => {
    await chmod(folder.root, 0o755)
    await mkdir(path.join(root, 'closed'))
    await chmod(path.join(root, 'closed'), 0)
    await chmod(outside, 0)
    const codes = await asUnprivileged(`
      const workspace = await openWorkspace(${JSON.stringify(root)})
      return Promise.all(['closed/x', '../outside/secret.txt', 'src/main.ts'].map((given) => codeOf(workspace.resolve(given, { missing: 'allow' }))))
    `)
    expect(codes).toEqual(['permission_denied', 'outside_workspace', 'ok'])
  })
})

describe('opening', () => {
  it('fails for a missing folder and for a file', async () => {
    await expectFailure(openWorkspace(path.join(folder.root, 'nothing')), 'not_found')
    await expectFailure(openWorkspace(path.join(root, 'readme.md')), 'not_a_directory')
    await expectFailure(openWorkspace(''), 'invalid_path')
  })
  it('fails for a folder that cannot be read', async () => {
    await chmod(folder.root, 0o755)
    await chmod(outside, 0)
    expect(await asUnprivileged(`return codeOf(openWorkspace(${JSON.stringify(outside)}))`)).toBe('permission_denied')
  })
})

it('converts absolute paths inside to relative ones and rejects others', () => {
  expect(workspace.relative(path.join(root, 'src', 'main.ts'))).toBe('src/main.ts')
  expect(workspace.relative(root)).toBe('.')
  expect(() => workspace.relative(outside)).toThrow(/outside/)
})

it('returns the spelling on disk for any case or Unicode form of an existing path', async () => {
  await writeFile(path.join(root, 'src', 'caf\u00e9.ts'), '')
  expect(await spellingOnDisk(root, 'SRC/Cafe\u0301.TS')).toBe('src/caf\u00e9.ts')
  expect(await spellingOnDisk(root, 'src/none.ts')).toBe('src/none.ts')
})

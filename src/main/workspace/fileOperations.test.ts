import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makePlaceholder } from '../base/placeholderFolder.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createFileOperations, type FileOperations } from './fileOperations.ts'
import { diskFileSystem } from './fileSystem.ts'
import { asUnprivileged, expectFailure, fileSystemWith, mountSmallDisk, systemError } from './testing/disk.ts'
import { openWorkspace, type Workspace } from './containment.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let root: string
let workspace: Workspace
let files: FileOperations
const at = (name: string) => path.join(root, name)
const tree = async (name = '.') =>
  (await readdir(at(name), { recursive: true })).map((entry) => entry.split(path.sep).join('/')).toSorted()

beforeEach(async () => {
  folder = await temporaryFolder({
    'project/a.txt': 'a',
    'project/b.txt': 'b',
    'project/src/deep/x.ts': 'x',
    'project/empty/': '',
    'outside/secret.txt': 'secret',
  })
  root = path.join(folder.root, 'project')
  workspace = await openWorkspace(root)
  files = createFileOperations(workspace)
})
afterEach(() => folder.remove())

it('returns size, kind, modification time in seconds and whether the file is writable', async () => {
  await utimes(at('a.txt'), 1_700_000_000.9, 1_700_000_000.9)
  expect(await files.info('a.txt')).toEqual({
    path: 'a.txt',
    size: 1,
    is_directory: false,
    is_file: true,
    modified: 1_700_000_000,
    readonly: false,
  })
  expect(await files.info('src')).toMatchObject({ path: 'src', is_directory: true, is_file: false })
  await expectFailure(files.info('none'), 'not_found')
  await expectFailure(files.info('../outside'), 'outside_workspace')
})

it('a file without write permission is readonly', async () => {
  await chmod(folder.root, 0o755)
  await chmod(at('a.txt'), 0o444)
  expect(
    await asUnprivileged(`
    return (await createFileOperations(await openWorkspace(${JSON.stringify(root)})).info('a.txt')).readonly
  `),
  ).toBe(true)
})

describe('listing', () => {
  it('leaves out an empty folder with which the sandbox covers an absent one, until something is in it', async () => {
    makePlaceholder(path.join(root, '.vscode'))
    const names = async () => (await files.list('.')).map(({ name }) => name)
    expect(await names()).not.toContain('.vscode')
    await writeFile(path.join(root, '.vscode', 'settings.json'), '{}')
    expect(await names()).toContain('.vscode')
  })

  it('returns one level, folders first, with numeric order of names', async () => {
    await writeFile(at('file10.txt'), '')
    await writeFile(at('file9.txt'), '')
    const entries = await files.list('.')
    expect(entries.map(({ name }) => name)).toEqual(['empty', 'src', 'a.txt', 'b.txt', 'file9.txt', 'file10.txt'])
    expect((await files.list('src'))[0]).toEqual({
      name: 'deep',
      path: 'src/deep',
      type: 'directory',
      directory: true,
      ignored: false,
    })
  })
  it.skipIf(process.platform === 'win32')(
    'distinguishes links to folders inside from links out of the workspace and dangling links',
    async () => {
      await symlink('src', at('inside'))
      await symlink('../outside', at('door'))
      await symlink('nowhere', at('dangling'))
      const links = (await files.list('.')).filter(({ type }) => type === 'symlink')
      expect(Object.fromEntries(links.map(({ name, directory }) => [name, directory]))).toEqual({
        inside: true,
        door: false,
        dangling: false,
      })
      expect((await files.list('inside')).map(({ path: name }) => name)).toEqual(['src/deep'])
      await expectFailure(files.list('door'), 'outside_workspace')
    },
  )
  it('hides temporary files of running writes', async () => {
    await writeFile(at('.tizona-write-0123'), '')
    expect((await files.list('.')).map(({ name }) => name)).not.toContain('.tizona-write-0123')
  })
  it('fails for a file and for an unreadable folder', async () => {
    await expectFailure(files.list('a.txt'), 'not_a_directory')
    await chmod(folder.root, 0o755)
    await chmod(at('src'), 0o311)
    expect(
      await asUnprivileged(
        `return codeOf(createFileOperations(await openWorkspace(${JSON.stringify(root)})).list('src'))`,
      ),
    ).toBe('permission_denied')
  })
})

describe('creating', () => {
  it('creates a file with its parents and does not overwrite one', async () => {
    expect(await files.createFile('x/y.txt')).toBe('x/y.txt')
    await expectFailure(files.createFile('x/y.txt'), 'already_exists')
    await expectFailure(files.createFile('src'), 'already_exists')
    await expectFailure(files.createFile('../outside/y.txt'), 'outside_workspace')
  })
  it('creates a folder with its parents and accepts an existing one', async () => {
    expect(await files.createDirectory('p/q/r')).toEqual({ path: 'p/q/r', created: true })
    expect(await files.createDirectory('p/q/r')).toEqual({ path: 'p/q/r', created: false })
    await expectFailure(files.createDirectory('a.txt'), 'already_exists')
    await expectFailure(files.createDirectory('a.txt/below'), 'not_a_directory')
  })
})

describe('deleting', () => {
  it('deletes a file, and a folder only with recursive', async () => {
    expect(await files.delete('a.txt')).toEqual({ path: 'a.txt', type: 'file' })
    await expectFailure(files.delete('empty'), 'is_directory')
    await expectFailure(files.delete('src'), 'not_empty')
    expect(await files.delete('src', { recursive: true })).toEqual({ path: 'src', type: 'directory' })
    expect(await tree()).toEqual(['b.txt', 'empty'])
  })
  it.skipIf(process.platform === 'win32')('deletes a link but not its target, even inside a folder', async () => {
    await symlink('../outside', at('door'))
    await symlink(path.join(folder.root, 'outside'), at('src/door'))
    await files.delete('door')
    await files.delete('src', { recursive: true })
    expect(await readFile(path.join(folder.root, 'outside/secret.txt'), 'utf8')).toBe('secret')
    expect(await tree()).toEqual(['a.txt', 'b.txt', 'empty'])
  })
  it('rejects the workspace folder, missing paths and outside paths', async () => {
    await expectFailure(files.delete('.', { recursive: true }), 'invalid_path')
    await expectFailure(files.delete(root, { recursive: true }), 'invalid_path')
    await expectFailure(files.delete('none'), 'not_found')
    await expectFailure(files.delete('../outside/secret.txt'), 'outside_workspace')
  })
  it('fails without permission', async () => {
    await chmod(folder.root, 0o755)
    await chmod(at('src/deep'), 0o555)
    expect(
      await asUnprivileged(
        `return codeOf(createFileOperations(await openWorkspace(${JSON.stringify(root)})).delete('src/deep/x.ts'))`,
      ),
    ).toBe('permission_denied')
    await chmod(at('src/deep'), 0o755)
  })
})

describe.each(['move', 'copy'] as const)('%s', (name) => {
  const transfer: FileOperations['move'] = (...args) => files[name](...args)

  it('creates the parents of the destination', async () => {
    expect(await transfer('a.txt', 'x/y/a.txt')).toEqual({
      from: 'a.txt',
      to: 'x/y/a.txt',
      directory: false,
      replaced: false,
      skipped: [],
    })
    expect(await readFile(at('x/y/a.txt'), 'utf8')).toBe('a')
    expect(await exists('a.txt')).toBe(name === 'copy')
  })
  it('includes the whole content of a folder', async () => {
    await writeFile(at('src/run.sh'), '')
    await chmod(at('src/run.sh'), 0o755)
    await transfer('src', 'lib')
    expect(await tree('lib')).toEqual(['deep', 'deep/x.ts', 'run.sh'])
    if (process.platform !== 'win32') expect((await stat(at('lib/run.sh'))).mode & 0o777).toBe(0o755)
    expect(await exists('src')).toBe(name === 'copy')
  })
  it('does not replace a file without overwrite', async () => {
    const { next } = await expectFailure(transfer('a.txt', 'b.txt'), 'already_exists')
    expect(next).toContain('overwrite: true')
    expect(await readFile(at('b.txt'), 'utf8')).toBe('b')
    expect(await transfer('a.txt', 'b.txt', { overwrite: true })).toMatchObject({ replaced: true })
    expect(await readFile(at('b.txt'), 'utf8')).toBe('a')
  })
  it('never replaces a folder, nor a file with a folder', async () => {
    expect((await expectFailure(transfer('a.txt', 'src', { overwrite: true }), 'already_exists')).next).toContain(
      'src/a.txt',
    )
    await expectFailure(transfer('src', 'a.txt', { overwrite: true }), 'already_exists')
    await expectFailure(transfer('src', 'empty', { overwrite: true }), 'already_exists')
  })
  it('rejects a folder into itself and an entry onto itself', async () => {
    await expectFailure(transfer('src', 'src/deep/src'), 'invalid_path')
    await expectFailure(transfer('src', 'src'), 'invalid_path')
    await expectFailure(transfer('a.txt', './a.txt', { overwrite: true }), 'invalid_path')
    expect(await tree('src')).toEqual(['deep', 'deep/x.ts'])
  })
  it('rejects the workspace folder, missing paths and outside paths as source or destination', async () => {
    await expectFailure(transfer('.', 'copy'), 'invalid_path')
    await expectFailure(transfer('a.txt', '.', { overwrite: true }), 'invalid_path')
    await expectFailure(transfer('none', 'x'), 'not_found')
    await expectFailure(transfer('../outside/secret.txt', 'mine.txt'), 'outside_workspace')
    await expectFailure(transfer('a.txt', '../outside/a.txt'), 'outside_workspace')
    await expectFailure(transfer('a.txt', 'b.txt/below'), 'not_a_directory')
  })
  it.skipIf(process.platform === 'win32')('does not write through a link out of the workspace', async () => {
    await symlink('../outside', at('door'))
    await expectFailure(transfer('a.txt', 'door/a.txt'), 'outside_workspace')
    await symlink('../outside/secret.txt', at('secret-link'))
    await transfer('a.txt', 'secret-link', { overwrite: true })
    expect(await readFile(path.join(folder.root, 'outside/secret.txt'), 'utf8')).toBe('secret')
    expect((await lstat(at('secret-link'))).isFile()).toBe(true)
  })
  it('leaves source and destination unchanged on a full disk', async () => {
    const noSpace = () => Promise.reject(systemError('ENOSPC'))
    files = createFileOperations(
      workspace,
      fileSystemWith({ copyFile: noSpace, rename: () => Promise.reject(systemError('EXDEV')) }),
    )
    await expectFailure(transfer('src', 'new/place'), 'no_space')
    await expectFailure(transfer('a.txt', 'b.txt', { overwrite: true }), 'no_space')
    expect(await tree()).toEqual(['a.txt', 'b.txt', 'empty', 'src', 'src/deep', 'src/deep/x.ts'])
    expect(await readFile(at('b.txt'), 'utf8')).toBe('b')
  })
  it('leaves no partial result when cancelled', async () => {
    const controller = new AbortController()
    const copyFile: typeof diskFileSystem.copyFile = async (...args) => {
      await diskFileSystem.copyFile(...args)
      controller.abort()
    }
    files = createFileOperations(
      workspace,
      fileSystemWith({ copyFile, rename: () => Promise.reject(systemError('EXDEV')) }),
    )
    await writeFile(at('src/y.ts'), 'y')
    await expect(transfer('src', 'lib', {}, controller.signal)).rejects.toMatchObject({ name: 'AbortError' })
    expect(await exists('lib')).toBe(false)
    expect(await tree('src')).toEqual(['deep', 'deep/x.ts', 'y.ts'])
  })
})

describe('a move to another device', () => {
  it('copies and then deletes if renaming fails', async () => {
    let crossed = 0
    const rename: typeof diskFileSystem.rename = async (from, to) => {
      if (path.basename(String(from)) !== 'src') return diskFileSystem.rename(from, to)
      crossed += 1
      throw systemError('EXDEV')
    }
    files = createFileOperations(workspace, fileSystemWith({ rename }))
    await files.move('src', 'lib')
    expect(crossed).toBe(1)
    expect(await tree()).toEqual(['a.txt', 'b.txt', 'empty', 'lib', 'lib/deep', 'lib/deep/x.ts'])
  })
  it('works between two real file systems and fails on a full one', async (test) => {
    const unmount =
      (await mountSmallDisk(at('disk'))) ?? test.skip('a second file system can only be mounted by root on Linux')
    try {
      await files.move('src', 'disk/src')
      expect(await tree('disk')).toEqual(['src', 'src/deep', 'src/deep/x.ts'])
      await files.move('disk/src', 'back')
      expect(await tree()).toEqual(['a.txt', 'b.txt', 'back', 'back/deep', 'back/deep/x.ts', 'disk', 'empty'])
      await writeFile(at('back/big'), Buffer.alloc(100_000))
      await expectFailure(files.move('back', 'disk/back'), 'no_space')
      await expectFailure(files.copy('back', 'disk/back'), 'no_space')
      expect(await tree('disk')).toEqual([])
      expect(await tree('back')).toEqual(['big', 'deep', 'deep/x.ts'])
    } finally {
      await unmount()
    }
  })
})

it.skipIf(process.platform === 'win32')(
  'links in a copied folder are copied as links, including those out of the workspace',
  async () => {
    await symlink('deep/x.ts', at('src/near'))
    await symlink('/etc', at('src/far'))
    await files.copy('src', 'lib')
    expect([await readlink(at('lib/near')), await readlink(at('lib/far'))]).toEqual(['deep/x.ts', '/etc'])
  },
)

it.skipIf(process.platform === 'win32')('moving a link does not follow it', async () => {
  await symlink('../outside', at('door'))
  await files.move('door', 'gate')
  expect(await readlink(at('gate'))).toBe('../outside')
})

describe('entries ignored by git', () => {
  const ignored = async (folderPath: string) =>
    (await files.list(folderPath)).filter((entry) => entry.ignored).map(({ name }) => name)

  it('follow all .gitignore files of the repository, and the deepest one takes precedence', async () => {
    await mkdir(at('.git/info'), { recursive: true })
    await writeFile(at('.git/info/exclude'), 'private.txt\n')
    await writeFile(at('.gitignore'), '*.log\n/empty/\nout\n')
    await writeFile(at('src/.gitignore'), '!keep.log\ndeep\n')
    for (const name of ['private.txt', 'x.log', 'src/x.log', 'src/keep.log', 'out']) await writeFile(at(name), '')
    expect(await ignored('.')).toEqual(['.git', 'empty', 'out', 'private.txt', 'x.log'])
    expect(await ignored('src')).toEqual(['deep', 'x.log'])
    expect(await ignored('src/deep')).toEqual(['x.ts'])
  })
  it('follow rules above the workspace if the repository starts there', async () => {
    await mkdir(path.join(folder.root, '.git'))
    await writeFile(path.join(folder.root, '.gitignore'), 'project/b.txt\n')
    expect(await ignored('.')).toEqual(['b.txt'])
  })
  it('do not exist outside a repository', async () => {
    await writeFile(at('.gitignore'), '*.txt\n')
    expect(await ignored('.')).toEqual([])
  })
})

async function exists(name: string): Promise<boolean> {
  return (await workspace.resolve(name, { missing: 'allow' })).exists
}

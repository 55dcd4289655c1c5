import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder, makeFolderSync } from './makeFolder.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tizona-make-folder-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const ways = [
  ['makeFolder', makeFolder],
  ['makeFolderSync', async (folder: string) => makeFolderSync(folder)],
] as const

describe.each(ways)('%s', (_name, make) => {
  it('creates missing parents, all for this user only', async () => {
    await make(join(root, 'a', 'b', 'c'))
    if (process.platform === 'win32') return
    for (const name of ['a', 'a/b', 'a/b/c']) expect((await stat(join(root, name))).mode & 0o777).toBe(0o700)
  })

  it('leaves an existing folder and its permissions, also behind a link', async () => {
    const folder = join(root, 'folder')
    await mkdir(folder)
    await chmod(folder, 0o755)
    await make(folder)
    expect((await stat(folder)).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o755)
    await symlink(folder, join(root, 'link'), 'junction')
    await make(join(root, 'link'))
    await make(join(root, 'link', 'inside'))
    expect(await readdir(folder)).toEqual(['inside'])
  })

  it('is no error for several at once', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, at) => make(join(root, 'x', 'y', String(at % 2)))))
    expect(await readdir(join(root, 'x', 'y'))).toHaveLength(2)
  })

  it('fails if the folder, or one above it, is a file or a link without target', async () => {
    await writeFile(join(root, 'file'), '')
    await expect(make(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' })
    await expect(make(join(root, 'file', 'x'))).rejects.toMatchObject({
      code: process.platform === 'win32' ? 'ENOENT' : 'ENOTDIR',
    })
    await symlink(join(root, 'nowhere'), join(root, 'dangling'))
    await expect(make(join(root, 'dangling', 'x'))).rejects.toMatchObject({ code: 'EEXIST' })
  })

  it.runIf(process.platform === 'linux')('ends with an error where the system has no new folders', async () => {
    await expect(make('/proc/tizona/data')).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

it('creates all folders of the main process: a recursive mkdir can hang', async () => {
  const main = join(import.meta.dirname, '..')
  const found: string[] = []
  for (const name of await readdir(main, { recursive: true })) {
    if (!/^(?!.*(?:\.test\.ts$|testing[/\\])).*\.ts$/.test(name)) continue
    const text = await readFile(join(main, name), 'utf8')
    if (/\bmkdir(?:Sync)?\([^\n]*recursive: true/.test(text)) found.push(name)
  }
  expect(found).toEqual([])
})

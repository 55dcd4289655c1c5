import { existsSync } from 'node:fs'
import { readdir, readFile, symlink } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from './containment.ts'
import { createFileOperations } from './fileOperations.ts'
import { diskFileSystem } from './fileSystem.ts'
import { expectFailure } from './testing/disk.ts'
import { createUploads, type Uploads } from './uploads.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let uploads: Uploads
const at = (name: string) => path.join(folder.root, name)
const names = async (name = '.') => (await readdir(at(name))).toSorted()
beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': 'old', 'dir/b.txt': 'b' })
  const workspace = await openWorkspace(folder.root)
  uploads = createUploads(workspace, createFileOperations(workspace))
})
afterEach(async () => {
  await uploads.close()
  await folder.remove()
})

it('a file of many pieces appears complete, in a new folder too', async () => {
  const id = await uploads.begin('new/deep/c.bin', false)
  const pieces = Array.from({ length: 5 }, (_, index) => Buffer.alloc(300_000, index))
  for (const piece of pieces) {
    await uploads.append(id, piece)
    expect(existsSync(at('new/deep/c.bin'))).toBe(false)
  }
  await uploads.finish(id)
  expect(await readFile(at('new/deep/c.bin'))).toEqual(Buffer.concat(pieces))
  expect(await names('new/deep')).toEqual(['c.bin'])
})

it('an existing file is replaced only on request, a folder never', async () => {
  await expectFailure(uploads.begin('a.txt', false), 'already_exists')
  await expectFailure(uploads.begin('dir', true), 'already_exists')
  const id = await uploads.begin('a.txt', true)
  await uploads.append(id, Buffer.from('new'))
  expect(await readFile(at('a.txt'), 'utf8')).toBe('old')
  await uploads.finish(id)
  expect(await readFile(at('a.txt'), 'utf8')).toBe('new')
})

it('a file that appears in the meantime is not replaced, and nothing half written stays', async () => {
  const [one, other] = [await uploads.begin('c.txt', false), await uploads.begin('c.txt', false)]
  await uploads.append(one, Buffer.from('one'))
  await uploads.append(other, Buffer.from('other'))
  await uploads.finish(one)
  await expectFailure(uploads.finish(other), 'already_exists')
  expect(await readFile(at('c.txt'), 'utf8')).toBe('one')
  expect(await names()).toEqual(['a.txt', 'c.txt', 'dir'])
})

it('a cancelled upload, a full disk and a closing folder leave nothing', async () => {
  const cancelled = await uploads.begin('c.txt', false)
  await uploads.append(cancelled, Buffer.from('half'))
  await uploads.cancel(cancelled)
  await expectFailure(uploads.append(cancelled, Buffer.from('rest')), 'not_found')

  const workspace = await openWorkspace(folder.root)
  const full = createUploads(workspace, createFileOperations(workspace), {
    ...diskFileSystem,
    async open(...args) {
      const handle = await diskFileSystem.open(...args)
      handle.appendFile = async () => {
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC', errno: -28, syscall: 'write' })
      }
      return handle
    },
  })
  const failing = await full.begin('d.txt', false)
  await expectFailure(full.append(failing, Buffer.from('x')), 'no_space')

  await uploads.append(await uploads.begin('e.txt', false), Buffer.from('half'))
  await uploads.close()
  expect(await names()).toEqual(['a.txt', 'dir'])
})

it('nothing is written outside the folder, also through a link', async () => {
  const outside = await temporaryFolder()
  await symlink(outside.root, at('link'))
  await expectFailure(uploads.begin('../x.txt', false), 'outside_workspace')
  await expectFailure(uploads.begin('link/x.txt', false), 'outside_workspace')
  await expectFailure(uploads.begin(path.join(outside.root, 'x.txt'), true), 'outside_workspace')
  expect(await readdir(outside.root)).toEqual([])
  await outside.remove()
})

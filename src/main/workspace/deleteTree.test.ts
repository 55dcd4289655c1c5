import { readdir, symlink, unlink } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing.ts'
import { createFileOperations } from './fileOperations.ts'
import { expectFailure, fileSystemWith, systemError } from './testing.ts'
import { openWorkspace } from './workspace.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => { folder = await temporaryFolder({ 'gone/a.txt': 'a', 'gone/b/c.txt': 'c', 'gone/b/d/e.txt': 'e', 'gone/z/f.txt': 'f', 'kept.txt': 'k' }) })
afterEach(() => folder.remove())

it('a recursive delete that fails half-way says what is gone and what is left', async () => {
  const files = createFileOperations(await openWorkspace(folder.root), fileSystemWith({
    unlink: async (file) => {
      if (String(file).endsWith('e.txt')) throw systemError('EBUSY')
      await unlink(file)
    },
  }))
  const { message } = await expectFailure(files.delete('gone', { recursive: true }), 'io_error')
  expect(message).toContain('Could not delete "gone/b/d/e.txt"')
  expect(message).toMatch(/deleted only in part\. Gone: 2 files \("gone\/a\.txt", "gone\/b\/c\.txt"\)/)
  expect(message).toMatch(/Left: 2 files and 4 folders \(.*"gone\/b\/d\/e\.txt"/)
  expect((await readdir(path.join(folder.root, 'gone'))).toSorted()).toEqual(['b', 'z'])
})

it('a recursive delete takes links themselves and leaves what they point to', async () => {
  await symlink('../kept.txt', path.join(folder.root, 'gone/link'))
  await symlink('..', path.join(folder.root, 'gone/up'))
  await createFileOperations(await openWorkspace(folder.root)).delete('gone', { recursive: true })
  expect(await readdir(folder.root)).toEqual(['kept.txt'])
})

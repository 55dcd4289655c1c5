import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFileOperations, type FileOperations } from './fileOperations.ts'
import { expectFailure } from './testing/disk.ts'
import { openWorkspace } from './containment.ts'
import { readFilePart } from './readBytes.ts'

const content = Buffer.alloc(5 * 1024 * 1024, 'abcdefg')
let root: string
let files: FileOperations

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'tizona-bytes-'))
  await writeFile(path.join(root, 'large.bin'), content)
  await writeFile(path.join(root, 'empty.bin'), '')
  files = createFileOperations(await openWorkspace(root))
})
afterAll(() => rm(root, { recursive: true, force: true }))

test('a file is read completely', async () => {
  expect(content.equals(await files.readBytes('large.bin', content.length))).toBe(true)
  expect((await files.readBytes('empty.bin', 0)).length).toBe(0)
})

test('a file over the limit is not read', async () => {
  expect((await expectFailure(files.readBytes('large.bin', content.length - 1), 'too_large')).message).toContain(
    'large.bin',
  )
})

test('folders, missing files and outside files are rejected', async () => {
  await expectFailure(files.readBytes('.', 10), 'is_directory')
  await expectFailure(files.readBytes('none.bin', 10), 'not_found')
  await expectFailure(files.readBytes('../other.bin', 10), 'outside_workspace')
})

test('a part of a file ends where the file does', async () => {
  const part = (offset: number) => readFilePart(path.join(root, 'large.bin'), 'large.bin', { offset, length: 8 })
  expect(await part(7)).toEqual({ bytes: Buffer.from('abcdefga'), size: content.length })
  expect((await part(content.length - 3)).bytes.length).toBe(3)
  expect((await part(content.length + 3)).bytes.length).toBe(0)
  await expectFailure(readFilePart(root, 'folder', { offset: 0, length: 8 }), 'is_directory')
})

test('reading can be cancelled', async () => {
  await expect(files.readBytes('large.bin', content.length, AbortSignal.abort())).rejects.toMatchObject({
    name: 'AbortError',
  })
})

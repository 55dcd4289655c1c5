import { access, readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { cloneRepository } from './cloning.ts'
import { createOperations } from './operations.ts'
import { gitFolder, testEnvironment } from './testing/gitFolder.ts'

let target: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  target = await temporaryFolder()
})
afterEach(() => target.remove())

const operations = createOperations(() => undefined)
const clone = (url: string, name?: string) =>
  cloneRepository(operations, 'c', { url, folder: target.root, name }, testEnvironment)

it('clones into a folder with the name of the address, and not into one that exists', async () => {
  const source = await gitFolder()
  try {
    const folder = path.join(target.root, path.basename(source.root))
    expect(await clone(`${source.root}/.git`)).toBe(folder)
    expect(await readFile(path.join(folder, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
    await expect(clone(source.root)).rejects.toMatchObject({ code: 'already_exists' })
    expect(await clone(source.root, 'other')).toBe(path.join(target.root, 'other'))
  } finally {
    await source.remove()
  }
})

it.each(['--upload-pack=touch x', '', 'ext::sh -c touch% x', '/missing.git'])(
  'refuses the address "%s" and leaves no folder',
  async (url) => {
    await expect(clone(url, 'new')).rejects.toThrow()
    expect(await readdir(target.root)).toEqual([])
  },
)

it('leaves nothing behind when it is cancelled', async () => {
  // Never answers.
  const server = createServer(() => operations.cancel('c'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  try {
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/a.git`
    await expect(clone(url)).rejects.toMatchObject({ code: 'cancelled' })
    expect(await readdir(target.root)).toEqual([])
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

it.each(['../new', 'a/b', '..'])('refuses the name "%s"', async (name) => {
  await expect(clone('https://example.org/a.git', name)).rejects.toThrow()
  expect(await readdir(target.root)).toEqual([])
})

it('refuses a folder that is not a full path', async () => {
  const request = { url: 'https://example.org/a.git', folder: '~/code', name: 'a' }
  await expect(cloneRepository(operations, 'c', request, testEnvironment)).rejects.toThrow(
    '"~/code" is not the full path of a folder.',
  )
})

it('creates a repository in the open folder', async () => {
  const folder = await gitFolder({ empty: true })
  try {
    expect(await folder.service.repositories.list(false)).toEqual([])
    expect(await folder.service.initialize('.')).toMatchObject([{ id: folder.root, kind: 'repository' }])
    await access(path.join(folder.root, '.git', 'HEAD'))
    await expect(folder.service.initialize('.')).rejects.toMatchObject({ code: 'already_exists' })
  } finally {
    await folder.remove()
  }
})

import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Core } from '../../core.ts'
import { createFolderCores } from './folderCores.ts'

let home: string
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-acp-')))
})
afterEach(() => rm(home, { recursive: true, force: true }))

function fakeCore() {
  const dispose = vi.fn(() => Promise.resolve())
  const openWorkspace = (root: string) => Promise.resolve({ root })
  // The folders use only these members.
  return { dispose, openWorkspace } as unknown as Core
}

const options = { onOpened: () => Promise.resolve(), isUsed: () => false }

it('a folder that is requested before the end and found after it is not opened', async () => {
  const createCore = vi.fn(() => Promise.resolve(fakeCore()))
  const folders = createFolderCores(createCore, options)
  const requested = folders.open(home)
  await Promise.all([folders.dispose(), expect(requested).rejects.toMatchObject({ code: 'cancelled' })])
  await expect(folders.open(home)).rejects.toMatchObject({ code: 'cancelled' })
  expect(createCore).not.toHaveBeenCalled()
})

it('a folder that is being opened at the end is closed, and its waiting requests fail', async () => {
  const core = fakeCore()
  const started = Promise.withResolvers<void>()
  const created = Promise.withResolvers<Core>()
  const folders = createFolderCores(() => {
    started.resolve()
    return created.promise
  }, options)
  const requests = Promise.allSettled(Array.from({ length: 20 }, () => folders.open(home)))
  await started.promise
  const ended = folders.dispose()
  created.resolve(core)
  await ended
  expect(core.dispose).toHaveBeenCalledOnce()
  for (const request of await requests) expect(request).toMatchObject({ reason: { code: 'cancelled' } })
})

it('a folder has one core, whatever its path', async () => {
  const createCore = vi.fn(() => Promise.resolve(fakeCore()))
  const folders = createFolderCores(createCore, options)
  const folder = join(home, 'folder')
  await mkdir(folder)
  await symlink(folder, join(home, 'link'), 'junction')
  for (const path of [folder, `${folder}/`, `${folder}/.`, join(home, 'link')])
    expect((await folders.open(path)).root).toBe(folder)
  expect(createCore).toHaveBeenCalledOnce()
})

it('a ninth folder is opened if another one is not used any more, which is closed', async () => {
  const cores: Core[] = []
  const used = new Set<string>()
  const folders = createFolderCores(
    async () => {
      const core = fakeCore()
      cores.push(core)
      return core
    },
    { ...options, isUsed: ({ root }) => used.has(root) },
  )
  for (let index = 0; index < 8; index += 1) {
    const folder = join(home, String(index))
    await mkdir(folder)
    await folders.open(folder)
    used.add(folder)
  }
  await expect(folders.open(home)).rejects.toThrow('At most 8 folders and worktrees')
  used.delete(join(home, '3'))
  expect((await folders.open(home)).root).toBe(home)
  expect(cores.map(({ dispose }) => vi.mocked(dispose).mock.calls.length)).toEqual([0, 0, 0, 1, 0, 0, 0, 0, 0])
})

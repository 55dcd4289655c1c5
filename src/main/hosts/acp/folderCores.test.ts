import { mkdtemp, realpath, rm } from 'node:fs/promises'
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

it('a folder that is requested before the end and found after it is not opened', async () => {
  const createCore = vi.fn(() => Promise.resolve(fakeCore()))
  const folders = createFolderCores(createCore, () => Promise.resolve())
  const requested = folders.open(home)
  await Promise.all([folders.dispose(), expect(requested).rejects.toMatchObject({ code: 'cancelled' })])
  await expect(folders.open(home)).rejects.toMatchObject({ code: 'cancelled' })
  expect(createCore).not.toHaveBeenCalled()
})

it('a folder that is being opened at the end is closed, and its waiting requests fail', async () => {
  const core = fakeCore()
  const started = Promise.withResolvers<void>()
  const created = Promise.withResolvers<Core>()
  const folders = createFolderCores(
    () => {
      started.resolve()
      return created.promise
    },
    () => Promise.resolve(),
  )
  const requests = Promise.allSettled(Array.from({ length: 20 }, () => folders.open(home)))
  await started.promise
  const ended = folders.dispose()
  created.resolve(core)
  await ended
  expect(core.dispose).toHaveBeenCalledOnce()
  for (const request of await requests) expect(request).toMatchObject({ reason: { code: 'cancelled' } })
})

import { expect, it } from 'vitest'
import type { SessionRecord } from '../sessions/sessionRecords.ts'
import type { Core } from './coreContract.ts'
import { createOpenCores } from './openCores.ts'
import { createTaskTries } from './tries.ts'

it('tries whose core ends while their worktrees are made are removed instead of started', async () => {
  const opened: string[] = []
  const removed: string[] = []
  const making = Promise.withResolvers<{ made: SessionRecord[]; skipped: string[] }>()
  let changes = 0
  const tries = createTaskTries({
    cores: { ...createOpenCores(), changed: () => (changes += 1) },
    sessions: {
      createTries: () => making.promise,
      remove: (id: string) => Promise.resolve(void removed.push(id)),
    } as unknown as Core['sessions'],
    platform: { openHidden: (folder) => Promise.resolve(void opened.push(folder)) },
  })
  const request = { folder: '/a', prompt: 'go', tries: [{}, {}] }
  const starting = tries.start(request)
  expect(tries.isWorking()).toBe(true)
  const stopping = tries.stopAll()
  making.resolve({ made: ['s1', 's2'].map((id) => ({ id, worktree: id }) as SessionRecord), skipped: [] })
  await expect(starting).rejects.toMatchObject({ code: 'cancelled' })
  await stopping
  expect({ opened, removed, working: tries.isWorking() }).toEqual({ opened: [], removed: ['s1', 's2'], working: false })
  // Windows whose sessions went on without them end.
  expect(changes).toBe(1)
  await expect(tries.start(request)).rejects.toMatchObject({ code: 'cancelled' })
})

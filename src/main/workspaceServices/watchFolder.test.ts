import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { EventName, Events } from '../../shared/bridge/protocol.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { watchWorkspace } from '../workspace/watcher.ts'
import { watchFolder } from './watchFolder.ts'

vi.mock('../workspace/watcher.ts', { spy: true })
const startedThreads = vi.mocked(watchWorkspace)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let stop: (() => Promise<void>) | undefined
beforeEach(async () => {
  startedThreads.mockClear()
  folder = await temporaryFolder({ 'a.txt': 'a' })
})
afterEach(async () => {
  await stop?.()
  await folder.remove()
})

async function watch(delay = 0) {
  const events: { name: EventName; payload: Events[EventName] }[] = []
  const refreshed: { paths: string[]; overflow: boolean }[] = []
  const indexed: { paths: readonly string[]; structure: boolean }[] = []
  stop = watchFolder({
    repositories: {
      filesChanged: (changes, overflow) => void refreshed.push({ paths: changes.map((each) => each.path), overflow }),
    },
    workspace: await openWorkspace(folder.root),
    fileNames: { invalidate: () => undefined },
    code: { filesChanged: (paths, structure) => void indexed.push({ paths, structure }) },
    languages: { filesChanged: () => undefined },
    mcp: { refresh: async () => undefined, startsFile: () => false },
    review: { changedOnDisk: () => undefined },
    localHistory: { changedOnDisk: () => undefined },
    emit: (name, payload) => void events.push({ name, payload }),
    info: async () => ({ root: folder.root, name: 'folder', branch: 'main' }),
    delay,
  })
  return { events, indexed, refreshed }
}

it('the window, the index and git check all files once the watcher sees every change, since earlier ones are not reported', async () => {
  const { events, indexed, refreshed } = await watch()
  await vi.waitFor(() =>
    expect(events).toEqual([
      { name: 'files.changed', payload: { changes: [], overflow: true } },
      { name: 'workspace.changed', payload: { root: folder.root, name: 'folder', branch: 'main' } },
    ]),
  )
  expect(indexed).toEqual([{ paths: [], structure: true }])
  expect(refreshed).toEqual([{ paths: [], overflow: true }])
})

it('a change on disk is sent to the window, the index and git', async () => {
  const { events, indexed, refreshed } = await watch()
  await vi.waitFor(() => expect(events).toHaveLength(2))
  await writeFile(path.join(folder.root, 'a.txt'), 'changed')
  const change = { path: 'a.txt', change: 'changed', directory: false }
  await vi.waitFor(() =>
    expect(events.at(-1)).toEqual({ name: 'files.changed', payload: { changes: [change], overflow: false } }),
  )
  expect(indexed.at(-1)).toEqual({ paths: ['a.txt'], structure: false })
  expect(refreshed.at(-1)).toEqual({ paths: ['a.txt'], overflow: false })
})

it('the window has opened before the folder is read', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    await watch(1000)
    vi.advanceTimersByTime(999)
    expect(startedThreads).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(startedThreads).toHaveBeenCalledTimes(1)
  } finally {
    vi.useRealTimers()
  }
})

it('a folder that is closed before the window has opened is not read', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    await watch(1000)
    await stop?.()
    vi.advanceTimersByTime(5000)
    expect(startedThreads).not.toHaveBeenCalled()
  } finally {
    vi.useRealTimers()
  }
})

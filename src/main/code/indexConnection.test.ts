import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ForkProcess } from '../base/childProcess.ts'
import { createSearch } from '../search/search.ts'
import { fakeEditor, temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createDocuments } from '../workspace/documents.ts'
import { indexFileOf } from './folderIndex.ts'
import { createIndexConnection } from './indexConnection.ts'

const exec = promisify(execFile)

// Only the delay before the first indexing; the process and ripgrep take real time.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

async function folders() {
  const [folder, data] = await Promise.all([temporaryFolder({ 'a.ts': 'export const a = 1\n' }), temporaryFolder()])
  return { root: folder.root, userData: data.root, remove: () => Promise.all([folder.remove(), data.remove()]) }
}

async function open(given?: { root: string; userData: string }) {
  const own = given ? undefined : await folders()
  const { root, userData } = given ?? own ?? expect.unreachable()
  const workspace = await openWorkspace(root)
  const requests: { method: string; params: unknown[] }[] = []
  const fork: ForkProcess = (_module, _options, { onMessage, onExit }) => ({
    pid: undefined,
    post(message) {
      // Sent by indexClient.ts.
      const { id, method, params } = message as { id: number; method: string; params: unknown[] }
      requests.push({ method, params })
      if (method === 'close') onExit('exit code 0')
      else onMessage({ id, result: null })
    },
    kill: () => onExit('killed'),
  })
  const forked = vi.fn(fork)
  const connection = createIndexConnection({
    workspace,
    documents: createDocuments(workspace, fakeEditor()),
    search: createSearch(workspace),
    userData,
    resources: 'resources',
    watched: true,
    dirtyBuffers: () => [],
    fork: forked,
    onNotice: (notice) => expect.unreachable(notice),
  })
  return {
    connection,
    forked,
    requests,
    /** Options of the first process. */
    options: (): unknown => JSON.parse(forked.mock.calls[0]?.[1].args[0] ?? ''),
    async [Symbol.asyncDispose]() {
      await connection.close()
      await own?.remove()
    },
  }
}

/** Makes the folder a repository. @returns a worktree of it */
async function addWorktree(root: string, userData: string): Promise<string> {
  const git = (...args: string[]) => exec('git', ['-C', root, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args])
  await git('init', '-q')
  await git('add', '-A')
  await git('commit', '-qm', 'first')
  const worktree = path.join(userData, 'worktree')
  await git('worktree', 'add', '-q', worktree)
  return worktree
}

test('the files of a watched folder are indexed after its window had time to open', async () => {
  await using opened = await open()
  vi.advanceTimersByTime(999)
  expect(opened.forked).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  await vi.waitUntil(() => opened.requests.some(({ method }) => method === 'setFiles'))
  expect(opened.forked).toHaveBeenCalledTimes(1)
})

test('a query starts the index at once', async () => {
  await using opened = await open()
  const filled = opened.connection.clientWithFiles()
  await filled.call('search', [{ query: 'a', limit: 1 }])
  await vi.waitUntil(() => opened.requests.some(({ method }) => method === 'setFiles'))
  vi.advanceTimersByTime(5000)
  expect(opened.forked).toHaveBeenCalledTimes(1)
  expect(opened.requests.filter(({ method }) => method === 'setFiles')).toHaveLength(1)
})

test('a folder that is closed before its files are indexed starts no process', async () => {
  const opened = await open()
  await opened[Symbol.asyncDispose]()
  vi.advanceTimersByTime(5000)
  expect(opened.forked).not.toHaveBeenCalled()
})

test('the index of a worktree starts with the first query, as a copy of the closed index of its repository', async () => {
  const { root, userData, remove } = await folders()
  const worktree = await addWorktree(root, userData)
  {
    await using opened = await open({ root: worktree, userData })
    await opened.connection.clientWithFiles().call('search', [{ query: 'a', limit: 1 }])
    expect(opened.forked).toHaveBeenCalledTimes(1)
    expect(opened.options()).toMatchObject({ copyOf: indexFileOf(root, userData) })
  }
  await remove()
})

test('the process of an open repository makes the copy for a worktree', async () => {
  const { root, userData, remove } = await folders()
  const worktree = await addWorktree(root, userData)
  {
    await using repository = await open({ root, userData })
    await repository.connection.clientWithFiles().call('search', [{ query: 'a', limit: 1 }])
    await using opened = await open({ root: worktree, userData })
    await opened.connection.clientWithFiles().call('search', [{ query: 'a', limit: 1 }])
    expect(repository.requests).toContainEqual({ method: 'copyTo', params: [indexFileOf(worktree, userData)] })
    expect(opened.options()).not.toHaveProperty('copyOf')
  }
  await remove()
})

test('a worktree that is not used starts no index', async () => {
  const { root, userData, remove } = await folders()
  const worktree = await addWorktree(root, userData)
  {
    await using opened = await open({ root: worktree, userData })
    await using other = await open({ root, userData })
    vi.advanceTimersByTime(5000)
    await vi.waitUntil(() => other.requests.some(({ method }) => method === 'setFiles'))
    expect(opened.forked).not.toHaveBeenCalled()
  }
  await remove()
})

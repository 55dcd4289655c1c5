import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ForkProcess } from '../base/childProcess.ts'
import { createSearch } from '../search/search.ts'
import { fakeEditor, temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createDocuments } from '../workspace/documents.ts'
import { createIndexConnection } from './indexConnection.ts'

// Only the delay before the first indexing; the process and ripgrep take real time.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

async function open() {
  const [folder, data] = await Promise.all([temporaryFolder({ 'a.ts': 'export const a = 1\n' }), temporaryFolder()])
  const workspace = await openWorkspace(folder.root)
  const methods: string[] = []
  const fork: ForkProcess = (_module, _options, { onMessage, onExit }) => ({
    pid: undefined,
    post(message) {
      // Sent by indexClient.ts.
      const { id, method } = message as { id: number; method: string }
      methods.push(method)
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
    userData: data.root,
    resources: 'resources',
    watched: true,
    dirtyBuffers: () => [],
    fork: forked,
    onNotice: (notice) => expect.unreachable(notice),
  })
  return {
    connection,
    forked,
    methods,
    async [Symbol.asyncDispose]() {
      await connection.close()
      await Promise.all([folder.remove(), data.remove()])
    },
  }
}

test('the files of a watched folder are indexed after its window had time to open', async () => {
  await using opened = await open()
  vi.advanceTimersByTime(999)
  expect(opened.forked).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(opened.forked).toHaveBeenCalledTimes(1)
  await vi.waitUntil(() => opened.methods.includes('setFiles'))
})

test('a query starts the index at once', async () => {
  await using opened = await open()
  const filled = opened.connection.clientWithFiles()
  await filled.call('search', [{ query: 'a', limit: 1 }])
  await vi.waitUntil(() => opened.methods.includes('setFiles'))
  vi.advanceTimersByTime(5000)
  expect(opened.forked).toHaveBeenCalledTimes(1)
  expect(opened.methods.filter((method) => method === 'setFiles')).toHaveLength(1)
})

test('a folder that is closed before its files are indexed starts no process', async () => {
  const opened = await open()
  await opened[Symbol.asyncDispose]()
  vi.advanceTimersByTime(5000)
  expect(opened.forked).not.toHaveBeenCalled()
})

import path from 'node:path'
import { expect, test, vi } from 'vitest'
import type { ForkProcess } from '../base/childProcess.ts'
import { createSearch } from '../search/search.ts'
import { fakeEditor, temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createDocuments } from '../workspace/documents.ts'
import { createCodeIndex } from './codeIndex.ts'

interface Request {
  id: number
  method: string
  params: unknown[]
}

/** An index process that is busy until `answerAll`, and then answers each request with `results[method]`. */
function busyProcess(results: Record<string, unknown>) {
  const requests: Request[] = []
  const free = Promise.withResolvers<void>()
  const fork: ForkProcess = (_module, _options, { onMessage, onExit }) => ({
    pid: undefined,
    post(message) {
      // Sent by indexClient.ts.
      const request = message as Request
      requests.push(request)
      if (request.method === 'close') onExit('exit code 0')
      else void free.promise.then(() => onMessage({ id: request.id, result: results[request.method] }))
    },
    kill: () => onExit('killed'),
  })
  return { fork, requests, answerAll: () => free.resolve() }
}

async function openWith(fork: ForkProcess) {
  const folder = await temporaryFolder({ 'a.ts': 'export function target() {}\n', 'b.ts': 'export const other = 1\n' })
  const data = await temporaryFolder()
  const workspace = await openWorkspace(folder.root)
  const search = createSearch(workspace)
  const text = vi.spyOn(search, 'text')
  const code = createCodeIndex({
    workspace,
    documents: createDocuments(workspace, fakeEditor()),
    search,
    userData: data.root,
    resources: path.join(import.meta.dirname, '../../../resources'),
    watched: true,
    dirtyBuffers: () => [],
    fork,
    onNotice: (notice) => expect.unreachable(notice),
  })
  return {
    code,
    text,
    async [Symbol.asyncDispose]() {
      await code.dispose()
      await Promise.all([folder.remove(), data.remove()])
    },
  }
}

const { signal } = new AbortController()

test('files with a name are searched for while the index process starts', async () => {
  const { fork, requests, answerAll } = busyProcess({ status: { state: 'symbols' }, search: [] })
  await using opened = await openWith(fork)
  const found = opened.code.search({ query: 'target', limit: 5 }, signal)
  await opened.text.mock.results[0]?.value
  expect(opened.text).toHaveBeenCalledOnce()
  answerAll()
  expect(await found).toEqual([])
  expect(requests.find(({ method }) => method === 'refresh')?.params).toEqual([['a.ts']])
})

test('the search for files ends when the index turns out to be complete, and a next one does not begin', async () => {
  const { fork, requests, answerAll } = busyProcess({ status: { state: 'ready' }, search: [] })
  await using opened = await openWith(fork)
  const found = opened.code.search({ query: 'target', limit: 5 }, signal)
  answerAll()
  await found
  await opened.code.search({ query: 'other', limit: 5 }, signal)
  expect(opened.text).toHaveBeenCalledOnce()
  expect(opened.text.mock.calls[0]?.[1].signal.aborted).toBe(true)
  expect(requests.map(({ method }) => method)).not.toContain('refresh')
})

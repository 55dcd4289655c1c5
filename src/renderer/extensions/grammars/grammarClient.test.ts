import { afterEach, expect, it, vi } from 'vitest'
import type { FromWorker, ToWorker } from './grammarMessages.ts'
import { createGrammarClient } from './grammarClient.ts'

/** Stands in for the worker, whose messages the test sends. */
class FakeWorker extends EventTarget {
  static readonly started: FakeWorker[] = []
  readonly received: ToWorker[] = []
  terminated = false
  constructor() {
    super()
    FakeWorker.started.push(this)
  }
  postMessage(message: ToWorker): void {
    this.received.push(message)
  }
  terminate(): void {
    this.terminated = true
  }
  says(data: FromWorker): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}

vi.mock('../../platform/editor/monaco/monacoWorkers.ts', () => ({ startWorker: () => new FakeWorker() }))
vi.mock('./grammarWorker.ts?worker&url', () => ({ default: '' }))
vi.mock('vscode-oniguruma/release/onig.wasm?url', () => ({ default: '' }))

afterEach(() => {
  vi.useRealTimers()
  FakeWorker.started.length = 0
})

function open() {
  vi.useFakeTimers()
  const unusable = vi.fn()
  const receive = vi.fn()
  const client = createGrammarClient([], () => [], unusable)
  client.open('source.a', 'text', 1, { receive })
  const [worker] = FakeWorker.started
  if (!worker) throw new Error('No worker was started.')
  return { client, worker, unusable, receive }
}

it('a worker whose line does not end is ended, and its grammar is named once', () => {
  const { worker, unusable, receive } = open()
  worker.says({ kind: 'working', scopeName: 'source.a' })
  worker.says({ kind: 'tokens', id: 1, version: 1, firstLine: 1, tokens: [], done: false })
  worker.says({ kind: 'rested' })
  vi.advanceTimersByTime(10_000)
  expect(unusable).not.toHaveBeenCalled()
  worker.says({ kind: 'working', scopeName: 'source.a' })
  vi.advanceTimersByTime(10_000)
  expect(worker.terminated).toBe(true)
  expect(unusable.mock.calls).toEqual([['source.a', 'A line took more than 3 seconds.']])
  worker.says({ kind: 'tokens', id: 1, version: 1, firstLine: 2, tokens: [], done: true })
  expect(receive).toHaveBeenCalledTimes(1)
})

it('the worker starts with the first text, and ends with the client', () => {
  const { client, worker } = open()
  expect(worker.received.map(({ kind }) => kind)).toEqual(['start', 'open'])
  client.close(1)
  client.dispose()
  expect(worker.received.at(-1)).toEqual({ kind: 'close', id: 1 })
  expect(worker.terminated).toBe(true)
})

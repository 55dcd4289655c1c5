import { once } from 'node:events'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { returnIdleMemory } from './idleMemory.ts'

const megabyte = 1024 * 1024
let cpu: number
let megabytes: number
let stop: () => void
const collect = vi.fn(async () => {
  megabytes = 80
})

beforeEach(() => {
  vi.useFakeTimers()
  collect.mockClear()
  cpu = 0
  megabytes = 80
  stop = returnIdleMemory({ cpuTime: () => cpu, memory: () => megabytes * megabyte, collect })
})

afterEach(() => {
  stop()
  vi.useRealTimers()
})

/** Lets ten seconds pass in which the process works. */
async function pass(work: number): Promise<number> {
  cpu += work
  await vi.advanceTimersByTimeAsync(10_000)
  return collect.mock.calls.length
}

it('collects once when the process becomes idle after its start', async () => {
  expect(await pass(3000)).toBe(0)
  expect(await pass(50)).toBe(1)
  expect(await pass(50)).toBe(1)
})

it('collects again only after work that left memory behind', async () => {
  await pass(0)
  megabytes = 110
  expect(await pass(0)).toBe(1)
  megabytes = 300
  expect(await pass(900)).toBe(1)
  expect(await pass(0)).toBe(2)
})

it('measures growth from the least memory since the last collection', async () => {
  await pass(0)
  megabytes = 40
  expect(await pass(0)).toBe(1)
  megabytes = 100
  expect(await pass(0)).toBe(2)
})

it('ends after a failure, which would repeat', async () => {
  collect.mockRejectedValueOnce(new Error('no inspector'))
  expect(await pass(0)).toBe(1)
  megabytes = 300
  expect(await pass(0)).toBe(1)
})

it('stops', async () => {
  stop()
  expect(await pass(0)).toBe(0)
})

it('returns the memory of this process', async () => {
  vi.useRealTimers()
  stop()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { Session } = await import('node:inspector/promises')
  const post = vi.spyOn(Session.prototype, 'post')
  vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 })
  stop = returnIdleMemory()
  const garbage = new WeakRef({})
  vi.advanceTimersByTime(10_000)
  await vi.waitFor(() => expect(garbage.deref() === undefined).toBe(true))
  expect(post).toHaveBeenCalledExactlyOnceWith('HeapProfiler.collectGarbage')
  vi.restoreAllMocks()
})

it('returns the memory of a thread', async () => {
  vi.useRealTimers()
  const module = pathToFileURL(path.join(import.meta.dirname, 'idleMemory.ts')).href
  const script = `
    const { parentPort } = require('node:worker_threads')
    import(${JSON.stringify(module)}).then(async ({ collectGarbage }) => {
      const garbage = new WeakRef({})
      await new Promise((resolve) => setImmediate(resolve))
      const before = garbage.deref() !== undefined
      await new Promise((resolve) => setImmediate(resolve))
      await collectGarbage()
      parentPort.postMessage({ before, after: garbage.deref() !== undefined })
    })`
  const [seen]: unknown[] = await once(new Worker(script, { eval: true, execArgv: [] }), 'message')
  expect(seen).toEqual({ before: true, after: false })
})

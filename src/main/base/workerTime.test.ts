import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { limitWorkerTime } from './workerTime.ts'

async function worker(code: string): Promise<Worker> {
  const made = new Worker(code, { eval: true })
  await once(made, 'online')
  return made
}

it('stops a worker that uses more processor time than its limit', async () => {
  const busy = await worker('while (true);')
  await new Promise<void>((resolve) => void limitWorkerTime(busy, 100, resolve))
  const { user, system } = await busy.cpuUsage()
  expect((user + system) / 1000).toBeGreaterThanOrEqual(100)
  await busy.terminate()
})

it('counts from before the thread has started', async () => {
  const busy = new Worker('while (true);', { eval: true })
  await new Promise<void>((resolve) => void limitWorkerTime(busy, 1, resolve))
  await busy.terminate()
})

it('does not call back after it was stopped', async () => {
  const busy = await worker('while (true);')
  const calls: string[] = []
  limitWorkerTime(busy, 10, () => calls.push('stopped'))()
  await new Promise<void>((resolve) => void limitWorkerTime(busy, 200, resolve))
  expect(calls).toEqual([])
  await busy.terminate()
})

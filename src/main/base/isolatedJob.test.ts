import { rm, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIsolatedJobs, type JobLimits } from './isolatedJob.ts'

const { signal } = new AbortController()
const run = createIsolatedJobs()
const ample: JobLimits = { cpuMs: 60_000, wallMs: 60_000, memoryMb: 256 }

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isolated-job-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs a worker with this code. */
async function job(name: string, code: string, limits: JobLimits): Promise<unknown> {
  const file = path.join(folder, `${name}.mjs`)
  await writeFile(file, `import { parentPort } from 'node:worker_threads'\n${code}`)
  return run(file, {}, limits, signal)
}

test('a job answers', async () => {
  expect(await job('answers', 'parentPort.postMessage(1)', ample)).toBe(1)
})

test('a job that works too long is ended by its processor time', async () => {
  await expect(job('spins', 'for (;;);', { ...ample, cpuMs: 100 })).rejects.toMatchObject({ limit: 'time' })
})

test('a job that waits, or that gets little of a busy machine, is ended by the time that passed', async () => {
  const waiting = job('waits', 'setInterval(() => {}, 1000)', { ...ample, wallMs: 200 })
  await expect(waiting).rejects.toMatchObject({ limit: 'wait' })
})

test('a job that worked until its time had passed is not said to have waited', async () => {
  // One call of native code, in which V8 cannot report the processor time of the thread.
  const code = `import { pbkdf2Sync } from 'node:crypto'\npbkdf2Sync('a', 'b', 2 ** 31 - 1, 64, 'sha512')`
  const working = job('native', code, { ...ample, cpuMs: 200, wallMs: 2000 })
  await expect(working).rejects.toMatchObject({ limit: 'time' })
})

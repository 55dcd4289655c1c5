import { isMainThread, Worker } from 'node:worker_threads'
import type { JobRequest, JobResponse } from './isolatedJob.ts'
import { parentChannel } from './parentChannel.ts'
import { limitWorkerTime } from './workerTime.ts'

// Process of an isolated job (isolatedJob.ts). Runs one job in a worker and supervises it. The parent ends the
// process.

/** Milliseconds between checks of the worker's memory. */
const memoryCheckMs = 25
/**
 * V8's own limit as a multiple of the memory limit. The regular check reports first; V8 may end the process instead of
 * the worker.
 */
const v8LimitFactor = 2
/** A timed-out job that used at most this share of its processor time was waiting rather than running. */
const idleShare = 0.5

function supervise({ worker: file, job, limits }: JobRequest, respond: (response: JobResponse) => void): void {
  // The worker gets no environment and no flags. Its output would mix with the log.
  const worker = new Worker(file, {
    workerData: job,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb * v8LimitFactor },
  })
  limitWorkerTime(worker, limits.cpuMs, () => respond({ kind: 'exceeded', limit: 'time' }))
  // This limit applies even if the worker does not respond. It includes the time to start this process. In a thread,
  // that time is unknown, because the clock started with the surrounding process.
  const started = isMainThread ? performance.now() : 0
  setTimeout(
    () => {
      const { user, system } = process.cpuUsage()
      const ranLittle = (user + system) / 1000 < limits.cpuMs * idleShare
      respond({ kind: 'exceeded', limit: ranLittle ? 'wait' : 'time' })
    },
    Math.max(0, limits.wallMs - started),
  )
  setInterval(() => {
    worker.getHeapStatistics().then(
      // `resourceLimits` ignores typed arrays. `external_memory` includes them.
      ({ used_heap_size: heap, external_memory: outside }) => {
        if (Math.max(heap, outside) > limits.memoryMb * 1024 * 1024) respond({ kind: 'exceeded', limit: 'memory' })
      },
      // The worker has not started or has exited, which is reported below.
      () => undefined,
    )
  }, memoryCheckMs)
  worker.once('message', (result: unknown) => respond({ kind: 'result', result }))
  worker.once('error', (error: Error & { code?: string }) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') respond({ kind: 'exceeded', limit: 'memory' })
    else if (error instanceof RangeError) respond({ kind: 'exceeded', limit: 'size' })
    else respond({ kind: 'failed', message: error instanceof Error ? error.message : 'The worker threw no error.' })
  })
  // Has no effect after a result or an error.
  worker.once('exit', (code) => respond({ kind: 'failed', message: `The worker exited with code ${code}.` }))
}

const channel = parentChannel()
let responded = false
channel.onMessage((message) =>
  // Only isolatedJob.ts starts this file.
  supervise(message as JobRequest, (response) => {
    if (responded) return
    responded = true
    channel.post(response)
  }),
)

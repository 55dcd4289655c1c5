import { isMainThread, Worker } from 'node:worker_threads'
import type { JobRequest, JobResponse } from './isolatedJob.ts'
import { parentChannel } from './parentChannel.ts'
import { limitWorkerTime } from './workerTime.ts'

// Process of an isolated job (isolatedJob.ts). It does one job in a worker and supervises it. The parent ends it.

/** Milliseconds between two checks of the worker's memory. */
const memoryCheckMs = 25
/**
 * V8's own limit as a multiple of the memory limit. The regular check reports first; V8 may end the process instead of
 * the worker.
 */
const v8LimitFactor = 2
/** Up to this share of its processor time, a job whose time has passed ran little. */
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
  // Unlike the other checks, this one does not wait for the worker. The start of this process counts. In a thread, the
  // clock began with the process around it.
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
      // `resourceLimits` do not include typed arrays, which `external_memory` does.
      ({ used_heap_size: heap, external_memory: outside }) => {
        if (Math.max(heap, outside) > limits.memoryMb * 1024 * 1024) respond({ kind: 'exceeded', limit: 'memory' })
      },
      // The worker has not started or has ended, which is reported below.
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

import { defaultFork, type ForkProcess } from './childProcess.ts'
import { workerFile } from './workerFile.ts'

/** Limits of an isolated job. */
export interface JobLimits {
  /** Milliseconds of processor time, which does not depend on other programs. */
  cpuMs: number
  /** Milliseconds from the start of its process, so that a busy machine or a job that only waits is answered too. */
  wallMs: number
  /** Megabytes of the V8 heap, and the same amount outside it. */
  memoryMb: number
}

/**
 * Which limit a job exceeded: processor time; `wait` if its time passed while it ran little, because the machine was busy
 * or it waited; memory; or depth of the call stack and lengths that V8 allows.
 */
export type ExceededLimit = 'time' | 'wait' | 'memory' | 'size'

/** Sent to the process of a job (isolatedJobProcess.ts). */
export interface JobRequest {
  /** File of the worker that does the job. It posts its result as its only message. */
  worker: string
  /** Its `workerData`. */
  job: unknown
  limits: JobLimits
}

/** Sent by the process of a job. */
export type JobResponse =
  | { kind: 'result'; result: unknown }
  | { kind: 'exceeded'; limit: ExceededLimit }
  | { kind: 'failed'; message: string }

/** A job was ended because of a limit. */
export class JobLimitError extends Error {
  readonly limit: ExceededLimit
  constructor(limit: ExceededLimit, options?: { cause?: unknown }) {
    super(`The job exceeded its limit of ${limit}.`, options)
    this.limit = limit
  }
}

/**
 * Runs a worker on hostile content in a process of its own.
 * @param worker file of the worker; see `workerFile`
 * @param job structured-cloneable `workerData`
 * @returns the message that the worker posted. Its type is the caller's claim about its own worker.
 * @throws JobLimitError; Error with the worker's message if it failed; AbortError
 */
export type RunIsolated = (worker: string, job: unknown, limits: JobLimits, signal: AbortSignal) => Promise<unknown>

/**
 * Creates the function that runs isolated jobs. Each job has a process: V8 can end the process of a worker that reaches
 * its heap limit, so a thread would not protect this one.
 * @param fork how the host starts processes
 */
export function createIsolatedJobs(fork: ForkProcess = defaultFork): RunIsolated {
  return async (worker, job, limits, signal) => {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const child = fork(
      workerFile(import.meta, 'isolatedJobProcess'),
      { name: 'isolated job', args: [], execArgv: [] },
      {
        onMessage(message) {
          // Sent by isolatedJobProcess.ts.
          const response = message as JobResponse
          if (response.kind === 'result') resolve(response.result)
          else if (response.kind === 'exceeded') reject(new JobLimitError(response.limit))
          else reject(new Error(response.message))
        },
        // Without a result, the process reached a limit of V8 that cannot be reported from inside.
        onExit: (reason) => reject(new JobLimitError('memory', { cause: new Error(reason) })),
      },
    )
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    child.post({ worker, job, limits } satisfies JobRequest)
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', stop)
      child.kill()
    }
  }
}

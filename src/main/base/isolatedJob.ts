import { defaultFork, type ForkProcess } from './childProcess.ts'
import { workerFile } from './workerFile.ts'

/** Limits of an isolated job. */
export interface JobLimits {
  /** Milliseconds of processor time, which does not depend on other programs. */
  cpuMs: number
  /** Milliseconds since its process started. Also ends a job that only waits, or whose machine is busy. */
  wallMs: number
  /** Megabytes of the V8 heap, and as much again outside it. */
  memoryMb: number
}

/**
 * The limit that a job exceeded: `time` is processor time; `wait` is elapsed time while the job ran little, because
 * the machine was busy or it waited; `size` is call stack depth or a length that V8 does not allow.
 */
export type ExceededLimit = 'time' | 'wait' | 'memory' | 'size'

/** Sent to the job's process (isolatedJobProcess.ts). */
export interface JobRequest {
  /** Worker file that does the job. It posts its result as its only message. */
  worker: string
  /** Its `workerData`. */
  job: unknown
  limits: JobLimits
}

/** Sent by the job's process. */
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
 * Runs a worker on hostile content in a separate process.
 * @param worker path of the worker; see `workerFile`
 * @param job structured-cloneable `workerData`
 * @returns the message that the worker posted. The caller vouches for its type.
 * @throws JobLimitError; Error with the worker's message if it failed; AbortError
 */
export type RunIsolated = (worker: string, job: unknown, limits: JobLimits, signal: AbortSignal) => Promise<unknown>

/**
 * Creates the function that runs isolated jobs. Each job gets a process: V8 can abort the process of a worker that
 * reaches its heap limit, so a thread would not protect this one.
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
        // An exit without a result means that the process reached a V8 limit that cannot be reported from inside.
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

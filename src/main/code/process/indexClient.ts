import { availableParallelism } from 'node:os'
import path from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import type { ChildProcess, ForkProcess } from '../../base/childProcess.ts'
import { wasmExecArgv } from '../../base/wasmFlags.ts'
import type { EngineOptions, IndexEngine } from './indexEngine.ts'
import type { SkippedFile } from '../index/indexStore.ts'
import { defaultLimits, type WatchdogLimits } from '../index/indexLimits.ts'
import type { IndexMessage, IndexProcessOptions, IndexRequest } from './indexProcess.ts'
import { createProgressPath, readAndRemoveProgress, type Activity } from '../index/indexProgress.ts'

/** Calls engine methods in the index process, which it restarts after a crash. */
export interface IndexClient {
  /**
   * Calls an engine method. If the process crashes, repeats the request once in a new process.
   * @throws the engine's errors; ToolError io_error if the process crashes again, or does not restart within 2 seconds
   */
  call<Method extends keyof IndexEngine>(
    method: Method,
    params: Parameters<IndexEngine[Method]>,
  ): Promise<Awaited<ReturnType<IndexEngine[Method]>>>
  /** Ends the process, after at most 2 seconds. */
  close(): Promise<void>
}

export interface IndexClientOptions {
  fork: ForkProcess
  engine: Pick<EngineOptions, 'root' | 'folders' | 'database' | 'copyOf' | 'grammars' | 'maxBytes' | 'retryDelays'>
  limits?: Partial<WatchdogLimits>
  onNotice(message: string): void
  /**
   * Called after a restart, before pending requests are repeated. A new process has neither files nor unsaved texts.
   */
  onRestarted(): void
}

/** Milliseconds before each restart after an exit. Reset whenever a file is skipped. */
const restartDelays = [100, 1000, 5000, 30_000, 120_000]
/** Milliseconds that a process must run so that its exit does not count as a repeated failure. */
const minStableTime = 60_000
/** Maximum milliseconds that requests wait for a restart. */
const maxWait = 2000
/** Maximum number of reader threads. Beyond it, the thread that writes the index is the bottleneck. */
const maxThreads = 4
/** Milliseconds that `close` waits before it kills the process. */
const closeTimeout = 2000

export function createIndexClient({ fork, engine, limits, onNotice, onRestarted }: IndexClientOptions): IndexClient {
  const progressFile = createProgressPath(engine.database)
  const pending = new PendingRequests()
  let nextId = 0
  let child: ChildProcess | undefined
  let exited = Promise.withResolvers<void>()
  let startedAt = 0
  let failures = 0
  let restart: { timer: NodeJS.Timeout; at: number; reason: string } | undefined
  let noticed = false
  let closing = false
  /** Number of threads that read the files of a large workspace. */
  let threads = Math.min(availableParallelism(), maxThreads)

  function start(crashedFile?: SkippedFile): void {
    exited = Promise.withResolvers()
    startedAt = performance.now()
    const options: IndexProcessOptions = {
      ...engine,
      // A copy that makes the process fail is not tried again.
      ...(failures > 0 && { copyOf: undefined }),
      progressFile,
      limits: { ...defaultLimits, ...limits },
      threads,
      ...(crashedFile && { crashedFile }),
    }
    child = fork(
      processFile(),
      {
        name: 'Tizona code index',
        args: [JSON.stringify(options)],
        execArgv: [...wasmExecArgv, '--max-old-space-size=2048'],
      },
      { onMessage: receive, onExit: scheduleRestart },
    )
  }

  function receive(received: unknown): void {
    // Sent by indexProcess.ts.
    const message = received as IndexMessage
    if ('notice' in message) onNotice(message.notice)
    else pending.settle(message)
  }

  function scheduleRestart(exitDescription: string): void {
    child = undefined
    exited.resolve()
    const { activity, reason } = readAndRemoveProgress(progressFile)
    if (closing) return pending.rejectAll(closedError())
    const exitReason = reason ?? exitDescription
    // Any file that the threads were reading may be the cause, so the next process reads them one by one.
    if (activity.threads) threads = 0
    const crashedFile = crashedFileOf(activity, reason ?? `the process that read it ended with ${exitDescription}`)
    if (performance.now() - startedAt > minStableTime || crashedFile) failures = 0
    const wait = restartDelays[Math.min(failures++, restartDelays.length - 1)] ?? 0
    notifyOnce(activity, exitReason)
    const timer = setTimeout(() => runRestart(crashedFile), wait)
    restart = { timer, at: performance.now() + wait, reason: exitReason }
    if (wait <= maxWait) pending.keepForRepeat(unavailable(exitReason))
    else pending.rejectAll(unavailable(exitReason))
  }

  function runRestart(crashedFile: SkippedFile | undefined): void {
    restart = undefined
    // `onRestarted` sends requests itself.
    const repeated = pending.requests()
    start(crashedFile)
    onRestarted()
    for (const request of repeated) child?.post(request)
  }

  /** Notifies the user once. The outlines of other skipped files give the reason. */
  function notifyOnce({ path: file }: Activity, reason: string): void {
    if (noticed) return
    noticed = true
    onNotice(
      file === undefined
        ? `The code index stopped (${reason}) and is restarting.`
        : `The code index stopped while reading ${file} (${reason}) and is restarting. The file is skipped until it changes.`,
    )
  }

  function unavailable(reason: string): ToolError {
    const seconds = restart ? Math.max(1, Math.ceil((restart.at - performance.now()) / 1000)) : 1
    return new ToolError(
      'io_error',
      `The code index stopped (${reason}).`,
      `It restarts in about ${seconds} s. Use a text search meanwhile.`,
    )
  }

  start()
  return {
    call(method, params) {
      if (closing) return Promise.reject(closedError())
      if (restart && restart.at - performance.now() > maxWait) return Promise.reject(unavailable(restart.reason))
      const request: IndexRequest = { id: nextId++, method, params }
      const result = pending.add(request)
      child?.post(request)
      // The process returns the result of the engine method with this name.
      return result as Promise<Awaited<ReturnType<IndexEngine[typeof method]>>>
    },
    async close() {
      closing = true
      clearTimeout(restart?.timer)
      const ending = child
      if (!ending) return pending.rejectAll(closedError())
      const timer = setTimeout(() => ending.kill(), closeTimeout)
      ending.post({ id: nextId++, method: 'close', params: [] } satisfies IndexRequest)
      await exited.promise
      clearTimeout(timer)
    },
  }
}

/** Returns the text that was being read when the process exited; undefined if there was none. */
function crashedFileOf({ path: file, digest, threads }: Activity, reason: string): SkippedFile | undefined {
  return file === undefined || digest === undefined || threads ? undefined : { path: file, hash: digest, reason }
}

const closedError = (): Error => new Error('The code index was closed.')

/**
 * Returns the path of the process entry. In the sources it is next to this file. In the build it is in out/main,
 * while this code may be in out/main/chunks.
 */
function processFile(): string {
  const folder = import.meta.dirname
  if (import.meta.filename.endsWith('.ts')) return path.join(folder, 'indexProcess.ts')
  return path.join(folder, path.basename(folder) === 'chunks' ? '..' : '.', 'indexProcess.js')
}

interface PendingRequest {
  request: IndexRequest
  repeated: boolean
  resolve(result: unknown): void
  reject(error: Error): void
}

/** Requests to the index process that have no result yet. */
class PendingRequests {
  readonly #entries = new Map<number, PendingRequest>()

  /** Adds a request. @returns a promise of its result */
  add(request: IndexRequest): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#entries.set(request.id, { request, repeated: false, resolve, reject })
    return promise
  }

  /** Settles the request that a message belongs to. */
  settle(message: Exclude<IndexMessage, { notice: string }>): void {
    const entry = this.#entries.get(message.id)
    this.#entries.delete(message.id)
    if (!entry) return
    if (!('failure' in message)) return entry.resolve(message.result)
    const { code, message: text, next } = message.failure
    entry.reject(code === 'internal' ? new Error(text) : new ToolError(code, text, next))
  }

  /** Keeps requests that may be sent to the next process; rejects those that have already been repeated. */
  keepForRepeat(error: Error): void {
    for (const [id, entry] of this.#entries) {
      if (entry.repeated) this.#reject(id, entry, error)
      else entry.repeated = true
    }
  }

  rejectAll(error: Error): void {
    for (const [id, entry] of this.#entries) this.#reject(id, entry, error)
  }

  requests(): IndexRequest[] {
    return [...this.#entries.values()].map(({ request }) => request)
  }

  #reject(id: number, { reject }: PendingRequest, error: Error): void {
    this.#entries.delete(id)
    reject(error)
  }
}

import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import type { ChildProcess, ForkProcess } from './childProcess.ts'
import type { EngineOptions, IndexEngine } from '../index/indexEngine.ts'
import type { IndexMessage, IndexProcessOptions, IndexRequest } from './indexProcess.ts'
import { defaultLimits, type WatchdogLimits } from './indexLimits.ts'
import { readAndRemoveProgress, type Activity } from './indexProgress.ts'
import { wasmExecArgv } from './wasmExecArgv.ts'

/** The index's process, called through messages. */
export interface IndexClient {
  /**
   * Asks the engine. A request that the process did not survive is repeated once in the next one, since all requests can be repeated.
   * Throws `io_error` where that fails too or the next one does not start soon, and what the engine throws.
   */
  call<Method extends keyof IndexEngine>(
    method: Method,
    params: Parameters<IndexEngine[Method]>,
  ): Promise<Awaited<ReturnType<IndexEngine[Method]>>>
  /** Ends the process: it may finish what it does, at most two seconds long. */
  close(): Promise<void>
}

export interface IndexClientOptions {
  fork: ForkProcess
  engine: Pick<EngineOptions, 'root' | 'database' | 'grammars' | 'maxBytes' | 'retryDelays'>
  limits?: Partial<WatchdogLimits>
  onNotice(message: string): void
  /** A new process knows nothing of files and open tabs. What is called here comes before the requests that are repeated. */
  onRestarted(): void
}

interface PendingRequest {
  request: IndexRequest
  repeated: boolean
  resolve(result: unknown): void
  reject(error: Error): void
}

/** Milliseconds before the first, second, … start after an exit. Each left-out file begins anew. */
const restartDelays = [100, 1000, 5000, 30_000, 120_000]
/** A process that lived so long, in milliseconds, ended for a new reason. */
const stableAfter = 60_000
/** Requests wait for a start that is not further away than this, in milliseconds. */
const maxWait = 2000
/** Milliseconds that `close` waits for the process. */
const closeWithin = 2000

export function createIndexClient({ fork, engine, limits, onNotice, onRestarted }: IndexClientOptions): IndexClient {
  const progressFile = progressFileOf(engine.database)
  const pending = new Map<number, PendingRequest>()
  let next = 0
  let child: ChildProcess | undefined
  let exited = Promise.withResolvers<void>()
  let startedAt = 0
  let failures = 0
  let restart: { timer: NodeJS.Timeout; at: number; reason: string } | undefined
  let noticed = false
  let closing = false

  function start(crashedFile?: EngineOptions['crashedFile']): void {
    exited = Promise.withResolvers()
    startedAt = performance.now()
    const options: IndexProcessOptions = {
      ...engine,
      progressFile,
      limits: { ...defaultLimits, ...limits },
      ...(crashedFile && { crashedFile }),
    }
    child = fork(
      processFile(),
      {
        name: 'Tizona code index',
        args: [JSON.stringify(options)],
        execArgv: [...wasmExecArgv, '--max-old-space-size=2048'],
      },
      { onMessage: receive, onExit: ended },
    )
  }

  function receive(given: unknown): void {
    // Sent by indexProcess.ts.
    const message = given as IndexMessage
    if ('notice' in message) return onNotice(message.notice)
    const entry = pending.get(message.id)
    pending.delete(message.id)
    if (!entry) return
    if (!('failure' in message)) return entry.resolve(message.result)
    const { code, message: text, next: hint } = message.failure
    entry.reject(code === 'internal' ? new Error(text) : new ToolError(code, text, hint))
  }

  function ended(exitDescription: string): void {
    child = undefined
    exited.resolve()
    const { activity, reason } = readAndRemoveProgress(progressFile)
    if (closing) return failAll(new Error('The code index was closed.'))
    const why = reason ?? exitDescription
    const { path: file, digest } = activity
    const crashedFile =
      file === undefined || digest === undefined
        ? undefined
        : { path: file, hash: digest, reason: reason ?? `the process that read it ended with ${exitDescription}` }
    if (performance.now() - startedAt > stableAfter || crashedFile) failures = 0
    const wait = restartDelays[Math.min(failures++, restartDelays.length - 1)] ?? 0
    notifyOnce(activity, why)
    restart = { timer: setTimeout(() => begin(crashedFile), wait), at: performance.now() + wait, reason: why }
    for (const [id, entry] of pending) {
      if (!entry.repeated && wait <= maxWait) entry.repeated = true
      else {
        pending.delete(id)
        entry.reject(unavailable(why))
      }
    }
  }

  function begin(crashedFile: EngineOptions['crashedFile']): void {
    restart = undefined
    const repeated = [...pending.values()]
    start(crashedFile)
    onRestarted()
    for (const { request } of repeated) child?.post(request)
  }

  /** Once: later files that are left out say so in their outline. */
  function notifyOnce({ path: file }: Activity, reason: string): void {
    if (noticed) return
    noticed = true
    onNotice(
      file === undefined
        ? `The code index stopped (${reason}) and restarts.`
        : `The code index stopped at ${file} (${reason}) and restarts. This file is left out of the index until it changes.`,
    )
  }

  function unavailable(reason: string): ToolError {
    const seconds = restart ? Math.max(1, Math.ceil((restart.at - performance.now()) / 1000)) : 1
    return new ToolError(
      'io_error',
      `The code index stopped (${reason}).`,
      `It restarts by itself in about ${seconds} s. Until then search in the text of the files.`,
    )
  }

  function failAll(error: Error): void {
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  }

  start()
  return {
    call(method, params) {
      if (closing) return Promise.reject(new Error('The code index was closed.'))
      if (restart && restart.at - performance.now() > maxWait) return Promise.reject(unavailable(restart.reason))
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const request: IndexRequest = { id: next++, method, params }
      pending.set(request.id, { request, repeated: false, resolve, reject })
      child?.post(request)
      // The process answers with what the engine's method of this name returned.
      return promise as Promise<Awaited<ReturnType<IndexEngine[typeof method]>>>
    },
    async close() {
      closing = true
      clearTimeout(restart?.timer)
      const ending = child
      if (!ending) return failAll(new Error('The code index was closed.'))
      const timer = setTimeout(() => ending.kill(), closeWithin)
      ending.post({ id: next++, method: 'close', params: [] } satisfies IndexRequest)
      await exited.promise
      clearTimeout(timer)
    },
  }
}

/** A name of its own for each client of each process; those of processes that are gone are removed. */
function progressFileOf(database: string): string {
  const folder = path.dirname(database)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) {
    const pid = /\.(\d+)-\d+\.progress(?:-why)?$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(path.join(folder, name), { force: true })
  }
  return `${database}.${process.pid}-${clients++}.progress`
}
let clients = 0

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It exists and belongs to someone else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Beside this file among the sources. In the build it is an entry of its own in out/main, and this code may lie in out/main/chunks. */
function processFile(): string {
  const folder = import.meta.dirname
  if (import.meta.filename.endsWith('.ts')) return path.join(folder, 'indexProcess.ts')
  return path.join(folder, path.basename(folder) === 'chunks' ? '..' : '.', 'indexProcess.js')
}

import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../../shared/errors.ts'
import type { ChildProcess, ForkProcess } from './childProcess.ts'
import type { EngineOptions, IndexEngine } from '../index/indexEngine.ts'
import type { IndexMessage, IndexProcessOptions, IndexRequest } from './indexProcess.ts'
import { defaultLimits, type WatchdogLimits } from './indexLimits.ts'
import { readAndRemoveProgress, type Activity } from './indexProgress.ts'
import { wasmExecArgv } from './wasmExecArgv.ts'

/** Calls the index process through messages. */
export interface IndexClient {
  /**
   * Calls an engine method. If the process crashes, the request is repeated once in a new process. Throws what the
   * engine throws. @throws ToolError io_error if the repeated request fails, or if no process starts soon
   */
  call<Method extends keyof IndexEngine>(
    method: Method,
    params: Parameters<IndexEngine[Method]>,
  ): Promise<Awaited<ReturnType<IndexEngine[Method]>>>
  /** Ends the process, which gets two seconds to finish. */
  close(): Promise<void>
}

export interface IndexClientOptions {
  fork: ForkProcess
  engine: Pick<EngineOptions, 'root' | 'database' | 'grammars' | 'maxBytes' | 'retryDelays'>
  limits?: Partial<WatchdogLimits>
  onNotice(message: string): void
  /** Called after a restart, before pending requests are repeated. A new process has neither files nor buffers. */
  onRestarted(): void
}

interface PendingRequest {
  request: IndexRequest
  repeated: boolean
  resolve(result: unknown): void
  reject(error: Error): void
}

/** Milliseconds before each restart after an exit. Reset whenever a file is skipped. */
const restartDelays = [100, 1000, 5000, 30_000, 120_000]
/** Milliseconds after which an exit no longer counts as a repeated failure. */
const stableAfter = 60_000
/** Maximum milliseconds that requests wait for a restart. */
const maxWait = 2000
/** Milliseconds that `close` waits for the process. */
const closeWithin = 2000

// Longer than 100 lines, because its functions share the state of one process and its restart.
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

  /** Notifies the user once; the outlines of further skipped files give the reason. */
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
      // The process returns the result of the engine method with this name.
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

/** Returns a file name unique to this client and process. Removes the files of processes that have ended. */
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
    // The process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * In the sources, it is beside this file. In the build, it is an entry in out/main, while this code may be in
 * out/main/chunks.
 */
function processFile(): string {
  const folder = import.meta.dirname
  if (import.meta.filename.endsWith('.ts')) return path.join(folder, 'indexProcess.ts')
  return path.join(folder, path.basename(folder) === 'chunks' ? '..' : '.', 'indexProcess.js')
}

import path from 'node:path'
import { isMainThread, threadId, Worker } from 'node:worker_threads'
import { ToolError, type Failure } from '../../../shared/errors.ts'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { createEngine, type EngineOptions, type IndexEngine } from './indexEngine.ts'
import { classifyError, IndexDamaged } from '../index/indexErrors.ts'
import type { WatchdogLimits } from '../index/indexLimits.ts'
import type { WatchdogData } from './indexWatchdog.ts'
import { returnIdleMemory } from '../../base/idleMemory.ts'
import { parentChannel } from '../../base/parentChannel.ts'
import { openProgress, writeReason } from '../index/indexProgress.ts'
import { createRequestActivity } from '../index/requestActivity.ts'
import { startReaderThreads } from './readerThreads.ts'
import type { ReaderPool } from '../index/readerPool.ts'

// The index process of one workspace: parses files, owns the database and handles requests. indexClient.ts starts and
// restarts it.

/** A request from indexClient.ts. Add a request by adding a method to IndexEngine. */
export interface IndexRequest {
  id: number
  method: keyof IndexEngine
  params: unknown[]
}

/** A message to indexClient.ts: the result of a request, or a message for the user. */
export type IndexMessage = { id: number; result: unknown } | { id: number; failure: Failure } | { notice: string }

type EngineCallbacks = 'onNotice' | 'onDamaged' | 'progress' | 'activity' | 'startPool'

/** Passed as JSON in the first argument. */
export interface IndexProcessOptions extends Omit<EngineOptions, EngineCallbacks> {
  progressFile: string
  limits: WatchdogLimits
  /** Number of threads that read the files of a large workspace; 0 if the main thread reads all of them. */
  threads: number
}

const { post, onMessage } = parentChannel()
// Passed by indexClient.ts, the only file that starts this one.
const { progressFile, limits, threads, ...options } = JSON.parse(process.argv[2] ?? '') as IndexProcessOptions

const state = new Int32Array(new SharedArrayBuffer(16))
const progress = openProgress(progressFile, state)
const activity = createRequestActivity()
/** Requests that do not query the index. */
const housekeeping: ReadonlySet<keyof IndexEngine> = new Set(['setFiles', 'status', 'close'])
startWatchdog()
if (isMainThread) returnIdleMemory()
const engine = createEngine({
  ...options,
  progress,
  activity,
  // In a thread of another process, V8's flags are not ours to change.
  ...(threads > 0 && isMainThread && { startPool }),
  onNotice: (notice) => post({ notice } satisfies IndexMessage),
  onDamaged: ({ message }) => exitForRebuild(message),
})

function startPool(onNotice: (message: string) => void): ReaderPool {
  const { root, folders, grammars } = options
  progress.threads(true)
  const pool = startReaderThreads({
    workspace: { root, folders },
    grammars,
    size: threads,
    maxFileCpu: limits.fileCpu,
    onNotice,
  })
  return {
    ...pool,
    close() {
      pool.close()
      progress.threads(false)
    },
  }
}

async function answer({ id, method, params }: IndexRequest): Promise<void> {
  try {
    // indexClient.ts checks that `params` match the method.
    const run = engine[method] as (...given: unknown[]) => unknown
    post({ id, result: await run.apply(engine, params) } satisfies IndexMessage)
  } catch (given) {
    const error = classifyError(given)
    if (error instanceof IndexDamaged) return exitForRebuild(error.message)
    post({ id, failure: failureOf(error) } satisfies IndexMessage)
  }
}

async function answerInTurn(request: IndexRequest): Promise<void> {
  progress.request(request.method)
  await answer(request)
  progress.request(undefined)
  if (request.method !== 'close') return
  progress.close()
  process.exit(0)
}

/** Exits the process. The next one creates a new database, and indexClient.ts repeats the request. */
function exitForRebuild(reason: string): void {
  engine.closeAndDelete()
  writeReason(progressFile, reason)
  process.exit(0)
}

function failureOf(error: unknown): Failure {
  if (error instanceof ToolError) return { code: error.code, message: error.message, next: error.next }
  return { code: 'internal', message: error instanceof Error ? error.message : String(error), next: '' }
}

function startWatchdog(): void {
  const data: WatchdogData = {
    state,
    progressFile,
    limits,
    parent: process.ppid,
    ...(isMainThread ? {} : { threadId }),
  }
  const file = path.join(import.meta.dirname, `indexWatchdog${path.extname(import.meta.filename)}`)
  new Worker(file, { workerData: data }).unref()
}

// Requests run one at a time, so that a search sees earlier writes.
const requests = new Sequencer()
onMessage((message) => {
  // Sent by indexClient.ts.
  const request = message as IndexRequest
  const answered = (): Promise<void> => requests.queue(() => answerInTurn(request))
  // Others need not wait for a copy, which SQLite keeps up with their changes.
  if (request.method === 'copyTo') void answer(request)
  else void (housekeeping.has(request.method) ? answered() : activity.run(answered))
})

import path from 'node:path'
import { inspect } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { FileReading } from '../index/fileReader.ts'
import type { WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { compileEngineModule, type CompiledModule } from '../index/grammars.ts'
import { languageOf } from '../index/languages.ts'
import type { FileToRead, ReaderPool } from '../index/readerPool.ts'
import { chooseChunk, type WaitingChunk } from './chunkChoice.ts'
import type { ReaderMessage, ReaderTask, ReaderWorkerData } from './readerWorker.ts'

export interface ReaderThreadsOptions {
  workspace: WorkspaceRoots
  /** Folder of the tag queries. */
  grammars: string
  /** Number of threads. */
  size: number
  /**
   * Milliseconds of processor time after which a thread gives up on a file; the main thread then reads it under a
   * watchdog. Measured for the whole process, because a hung thread cannot report its own time.
   */
  maxFileCpu: number
  onNotice(message: string): void
}

interface Chunk extends WaitingChunk {
  files: readonly FileToRead[]
  resolve(readings: FileReading[]): void
}

interface ReaderThread {
  worker: Worker
  state: Int32Array
  chunk: Chunk | undefined
  /** Languages whose tag query the thread has prepared. */
  prepared: Set<string>
  /** The last observed number of files read, and the processor time when it changed. */
  count: number
  since: number
}

/** Milliseconds between checks for files that take too long. */
const checkInterval = 500
/** Megabytes of a thread's JavaScript heap. A larger young generation costs memory and saves hardly any time. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 }
/** Slots of a thread's state: index of the current file in its chunk, and number of files read before. */
const slots = { position: 0, count: 1 } as const
/** Index while a thread starts or waits for a chunk. */
const noFile = -1
/** Number of threads that may hang or crash. After that, the main thread reads the remaining files. */
const maxReplacements = 8

/** Starts threads. A thread that hangs or crashes is replaced, and its other files are read again. */
export function startReaderThreads(options: ReaderThreadsOptions): ReaderPool {
  let engine: CompiledModule | undefined
  const waiting: Chunk[] = []
  const threads = new Set<ReaderThread>()
  let closed = false
  let replacements = 0
  const timer = setInterval(() => threads.forEach(check), checkInterval)
  timer.unref()

  function startThread(): void {
    const state = new Int32Array(new SharedArrayBuffer(8))
    state[slots.position] = noFile
    const data: ReaderWorkerData = { workspace: options.workspace, grammars: options.grammars, state }
    const worker = new Worker(threadFile(), { workerData: data, resourceLimits })
    const thread: ReaderThread = { worker, state, chunk: undefined, prepared: new Set(), count: 0, since: processCpu() }
    worker.on('message', (message: ReaderMessage) => {
      if ('notice' in message) return options.onNotice(message.notice)
      thread.chunk?.resolve(message.readings)
      thread.chunk = undefined
      runNext(thread)
    })
    worker.on('error', (error) => {
      // The index process's standard error is written to the log.
      process.stderr.write(`A reader thread of the code index failed: ${inspect(error)}\n`)
      replace(thread)
    })
    worker.on('exit', () => replace(thread))
    threads.add(thread)
    if (!engine) return
    give(thread, { engine })
    runNext(thread)
  }

  function runNext(thread: ReaderThread): void {
    if (thread.chunk) return
    const next = chooseChunk(
      waiting,
      thread.prepared,
      [...threads].map(({ prepared }) => prepared),
    )
    const [chunk] = next === -1 ? [] : waiting.splice(next, 1)
    if (!chunk) return
    thread.chunk = chunk
    thread.prepared.add(chunk.language)
    Atomics.store(thread.state, slots.position, noFile)
    give(thread, { files: chunk.files })
  }

  function check(thread: ReaderThread): void {
    const count = Atomics.load(thread.state, slots.count)
    if (Atomics.load(thread.state, slots.position) === noFile || count !== thread.count) {
      thread.count = count
      thread.since = processCpu()
    } else if (processCpu() - thread.since > options.maxFileCpu) replace(thread)
  }

  /** Terminates a thread that hangs or has crashed, and reads its chunk again without the file it was reading. */
  function replace(thread: ReaderThread): void {
    if (!threads.delete(thread)) return
    void thread.worker.terminate()
    const { chunk } = thread
    if (closed) return chunk?.resolve([])
    if (replacements++ >= maxReplacements) {
      chunk?.resolve([])
      return close()
    }
    const position = Atomics.load(thread.state, slots.position)
    if (chunk) waiting.unshift({ ...chunk, files: chunk.files.filter((_, at) => at !== position) })
    startThread()
  }

  function close(): void {
    closed = true
    clearInterval(timer)
    for (const thread of threads) replace(thread)
    for (const { resolve } of waiting.splice(0)) resolve([])
  }

  for (let count = 0; count < options.size; count++) startThread()
  // The threads load their modules in the meantime.
  const compiled = (engine = compileEngineModule())
  for (const thread of threads) give(thread, { engine: compiled })
  return {
    size: options.size,
    async read(files) {
      if (closed) return []
      const parts = [...Map.groupBy(files, queryLanguage)].map(([language, part]) => {
        const { promise, resolve } = Promise.withResolvers<FileReading[]>()
        waiting.push({ language, files: part, resolve })
        return promise
      })
      for (const thread of threads) runNext(thread)
      const read = new Map((await Promise.all(parts)).flat().map((reading) => [reading.path, reading]))
      return files.flatMap(({ path: place }) => read.get(place) ?? [])
    },
    close,
  }
}

/** Returns the language whose tag query a file needs; '' if it needs none. */
function queryLanguage({ path: place, definitions }: FileToRead): string {
  const language = definitions ? undefined : languageOf(place)
  return language?.grammar ? language.id : ''
}

function give({ worker }: ReaderThread, task: ReaderTask): void {
  worker.postMessage(task)
}

function processCpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns the path of the thread entry: next to this file in the sources, in out/main in the build. */
function threadFile(): string {
  const folder = import.meta.dirname
  if (import.meta.filename.endsWith('.ts')) return path.join(folder, 'readerWorker.ts')
  return path.join(folder, path.basename(folder) === 'chunks' ? '..' : '.', 'readerWorker.js')
}

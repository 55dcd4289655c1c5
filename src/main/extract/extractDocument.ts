import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/plural.ts'
import { limitWorkerTime } from '../base/workerTime.ts'
import type { DocumentJob, Extracted, Unreadable } from './documentJob.ts'

/** What a document may cost before its worker is ended. */
export interface ExtractLimits {
  /** Milliseconds of processor time. */
  time: number
  /** Megabytes of objects and strings, and as much again of bytes outside V8's heap: there decompressed data lies. */
  memory: number
}

export const defaultLimits: ExtractLimits = { time: 60_000, memory: 512 }

/** Milliseconds between two looks at a worker's memory. */
const watchEvery = 25
/**
 * V8's own limit, times `memory`. It must not be met: where a thread allocates much at once V8 ends the whole process instead of the
 * thread. So the watch comes first, and this is for what outruns it.
 */
const hardLimit = 4

/**
 * What a document says, read in a thread of its own: documents are written by strangers, and a broken one or a decompression bomb
 * must neither stop the main process nor end it.
 * Throws `too_large` (it would take too much memory), `timeout`, `refused` (it is encrypted), `invalid_encoding` (it is broken),
 * `out_of_range` (no such page).
 * @param name as the user knows the file, for messages
 */
export async function extractDocument(
  name: string,
  job: DocumentJob,
  signal: AbortSignal,
  limits = defaultLimits,
): Promise<Extracted> {
  const answer = await inWorker(name, job, signal, limits)
  if ('unreadable' in answer) throw refusal(name, answer)
  return answer
}

async function inWorker(
  name: string,
  job: DocumentJob,
  signal: AbortSignal,
  { time, memory }: ExtractLimits,
): Promise<Extracted | Unreadable> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Extracted | Unreadable>()
  // It needs nothing of this process: neither its environment nor the flags it was started with, nor its console.
  const worker = new Worker(workerFile(), {
    workerData: job,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memory * hardLimit },
  })
  const stop = () => reject(signal.reason)
  const tooLarge = (cause?: unknown) =>
    reject(
      new ToolError(
        'too_large',
        `"${name}" takes more than ${memory} MB to read; it is very large, or made to be so when it is decompressed.`,
        'Use a smaller document, or ask the user where it comes from.',
        { cause },
      ),
    )
  signal.addEventListener('abort', stop, { once: true })
  const endWatch = limitWorkerTime(worker, time, () => {
    reject(
      new ToolError(
        'timeout',
        `"${name}" was not read within ${time / 1000} seconds.`,
        'Name fewer pages, or use a smaller document.',
      ),
    )
  })
  // This asks the thread between two of its instructions, however busy it is; resourceLimits knows nothing of typed arrays.
  const watch = setInterval(() => {
    worker.getHeapStatistics().then(
      (heap) => {
        if (Math.max(heap.used_heap_size, heap.external_memory) > memory * 1024 * 1024) tooLarge()
      },
      // The worker has ended or is not up yet: then there is nothing to watch, and its end is reported below.
      () => undefined,
    )
  }, watchEvery)
  worker.once('message', resolve)
  worker.once('error', (error: Error & { code?: string }) => {
    // "Invalid array length" and the like: a size that no array has.
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY' || error instanceof RangeError) tooLarge(error)
    else reject(error)
  })
  // After an answer or an error this changes nothing.
  worker.once('exit', (code) => reject(new Error(`The document worker ended with ${code} and no answer.`)))
  try {
    return await promise
  } finally {
    endWatch()
    clearInterval(watch)
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}

function refusal(name: string, { unreadable, detail }: Unreadable): ToolError {
  switch (unreadable) {
    case 'encrypted':
      return new ToolError(
        'refused',
        `"${name}" is encrypted and cannot be read without its password.`,
        'Ask the user for a copy without a password.',
      )
    case 'broken':
      return new ToolError(
        'invalid_encoding',
        `"${name}" is broken, or not what its name says: ${detail}`,
        'Ask the user for an intact copy, or read it as a text file.',
      )
    case 'too_large':
      return new ToolError(
        'too_large',
        `"${name}" cannot be read in bounded memory: ${detail}.`,
        'Use a smaller document, or ask the user where it comes from.',
      )
    case 'no_page':
      return new ToolError(
        'out_of_range',
        `"${name}" has ${plural(Number(detail), 'page')}, fewer than asked for.`,
        detail === '0' ? 'Ask the user for a copy that is not empty.' : `Name pages from 1 to ${detail}.`,
      )
  }
}

/** Beside this file among the sources. In the build it is an entry of its own in out/main, and this code may lie in out/main/chunks. */
function workerFile(): string {
  const folder = import.meta.dirname
  if (import.meta.filename.endsWith('.ts')) return path.join(folder, 'extractWorker.ts')
  return path.join(folder, path.basename(folder) === 'chunks' ? '..' : '.', 'extractWorker.js')
}

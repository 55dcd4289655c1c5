import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/plural.ts'
import { limitWorkerTime } from '../base/workerTime.ts'
import type { DocumentJob, Extracted, Unreadable } from './documentJob.ts'

/** Resource limits above which a worker is ended. */
export interface ExtractLimits {
  /** Milliseconds of processor time. */
  timeMs: number
  /** Megabytes of the V8 heap, and the same amount outside it, where decompressed data is stored. */
  memoryMb: number
}

export const defaultLimits: ExtractLimits = { timeMs: 60_000, memoryMb: 512 }

/** Milliseconds between two checks of a worker's memory. */
const memoryCheckMs = 25
/**
 * V8's own limit as a multiple of `memory`. V8 can end the whole process when a thread exceeds it, so the regular check
 * comes first and this is a fallback.
 */
const v8LimitFactor = 4

/**
 * Reads a document in a worker thread, so that a malformed document or a decompression bomb cannot block or end the
 * main process.
 * @throws ToolError too_large, timeout, refused if encrypted, invalid_encoding if broken, out_of_range for a page that
 *   does not exist
 * @param name file name for messages
 */
export async function extractDocument(
  name: string,
  job: DocumentJob,
  signal: AbortSignal,
  limits = defaultLimits,
): Promise<Extracted> {
  const result = await inWorker(name, job, signal, limits)
  if ('reason' in result) throw refusal(name, result)
  return result
}

async function inWorker(
  name: string,
  job: DocumentJob,
  signal: AbortSignal,
  { timeMs: time, memoryMb: memory }: ExtractLimits,
): Promise<Extracted | Unreadable> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Extracted | Unreadable>()
  // Isolated from this process: no environment, flags or console.
  const worker = new Worker(workerFile(), {
    workerData: job,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memory * v8LimitFactor },
  })
  const stop = () => reject(signal.reason)
  const tooLarge = (cause?: unknown) =>
    reject(
      new ToolError(
        'too_large',
        `Reading "${name}" takes more than ${memory} MB of memory; it is very large, or a decompression bomb.`,
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
        'Request fewer pages, or use a smaller document.',
      ),
    )
  })
  // This interrupts the thread even when it is busy. resourceLimits do not include typed arrays.
  const watch = setInterval(() => {
    worker.getHeapStatistics().then(
      (heap) => {
        if (Math.max(heap.used_heap_size, heap.external_memory) > memory * 1024 * 1024) tooLarge()
      },
      // The worker has not started or has ended, which is reported below.
      () => undefined,
    )
  }, memoryCheckMs)
  worker.once('message', resolve)
  worker.once('error', (error: Error & { code?: string }) => {
    // "Invalid array length" and similar: a size that cannot be allocated.
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY' || error instanceof RangeError) tooLarge(error)
    else reject(error)
  })
  // Has no effect after a result or an error.
  worker.once('exit', (code) => reject(new Error(`The document worker exited with code ${code} without a result.`)))
  try {
    return await promise
  } finally {
    endWatch()
    clearInterval(watch)
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}

function refusal(name: string, { reason, detail }: Unreadable): ToolError {
  switch (reason) {
    case 'encrypted':
      return new ToolError(
        'refused',
        `"${name}" is encrypted and cannot be read without its password.`,
        'Ask the user for a copy without a password.',
      )
    case 'broken':
      return new ToolError(
        'invalid_encoding',
        `"${name}" is broken or has the wrong file type: ${detail}`,
        'Ask the user for an intact copy, or read it as a text file.',
      )
    case 'too_large':
      return new ToolError(
        'too_large',
        `"${name}" cannot be read within the memory limit: ${detail}.`,
        'Use a smaller document, or ask the user where it comes from.',
      )
    case 'no_page':
      return new ToolError(
        'out_of_range',
        `"${name}" has only ${plural(Number(detail), 'page')}.`,
        detail === '0' ? 'Ask the user for a copy that is not empty.' : `Request pages from 1 to ${detail}.`,
      )
  }
}

/**
 * Returns the path of the worker. In the sources, it is in the folder of this file. In the build, it is in out/main,
 * while this code may be in out/main/chunks.
 */
function workerFile(): string {
  const folder = import.meta.dirname
  if (import.meta.filename.endsWith('.ts')) return path.join(folder, 'extractWorker.ts')
  return path.join(folder, path.basename(folder) === 'chunks' ? '..' : '.', 'extractWorker.js')
}

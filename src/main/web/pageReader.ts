import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ToolError } from '../../shared/errors.ts'
import { limitWorkerTime } from '../base/workerTime.ts'
import type { DuckDuckGoResponse } from './duckDuckGoPage.ts'
import type { Page } from './pageMarkdown.ts'

/** A document for the worker to process. */
export type HtmlJob = { kind: 'page'; html: string; base: string } | { kind: 'duckduckgo'; html: string }
export type HtmlResult = { kind: 'page'; page: Page } | { kind: 'duckduckgo'; answer: DuckDuckGoResponse }

/** Milliseconds of processor time for one document; typical pages take a tenth of a second. */
const defaultLimit = 5000

/**
 * Path of the worker. In the sources, it is in the folder of this file. In the build, it is in out/main, while this
 * code may be in out/main/chunks.
 */
const workerFile = import.meta.url.endsWith('.ts')
  ? fileURLToPath(new URL('./htmlWorker.ts', import.meta.url))
  : path.join(import.meta.dirname, path.basename(import.meta.dirname) === 'chunks' ? '..' : '.', 'htmlWorker.js')

/** Converts a page to Markdown in a worker. @throws ToolError too_large if it is nested too deeply or takes too long */
export async function readPage(html: string, base: string, signal: AbortSignal, limitMs = defaultLimit): Promise<Page> {
  const result = await inWorker({ kind: 'page', html, base }, signal, limitMs)
  if (result.kind !== 'page') throw new Error(`The worker answered ${result.kind}.`)
  return result.page
}

/** Parses a DuckDuckGo result page in a worker. @throws ToolError too_large */
export async function readDuckDuckGo(html: string, signal: AbortSignal): Promise<DuckDuckGoResponse> {
  const result = await inWorker({ kind: 'duckduckgo', html }, signal, defaultLimit)
  if (result.kind !== 'duckduckgo') throw new Error(`The worker answered ${result.kind}.`)
  return result.answer
}

/** Uses one thread per document: a hostile page with deep nesting must not block or end the main process. */
function inWorker(job: HtmlJob, signal: AbortSignal, limitMs: number): Promise<HtmlResult> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<HtmlResult>()
  // Isolated from this process: no environment and no flags.
  const worker = new Worker(workerFile, {
    workerData: job,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  const stop = () => reject(signal.reason)
  const endWatch = limitWorkerTime(worker, limitMs, () => reject(unreadable('it takes too long')))
  signal.addEventListener('abort', stop, { once: true })
  worker.once('message', resolve)
  worker.once('error', (error: Error & { code?: string }) => {
    const foreseen = error instanceof RangeError || error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    reject(foreseen ? unreadable('it has too many elements, or they are nested too deeply') : error)
  })
  return promise.finally(() => {
    endWatch()
    signal.removeEventListener('abort', stop)
    return worker.terminate()
  })
}

function unreadable(reason: string): ToolError {
  return new ToolError(
    'too_large',
    `The page cannot be converted to text: ${reason}.`,
    'Fetch another source of the same information.',
  )
}

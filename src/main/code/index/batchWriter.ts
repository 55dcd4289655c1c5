import { setTimeout as delay } from 'node:timers/promises'
import { ToolError } from '../../../shared/errors.ts'
import { classifyError } from './indexErrors.ts'
import type { FileIndexer, TimedReading } from './fileIndexer.ts'

/** Stores the results of many files in few transactions: a transaction takes as long as storing several files. */
export interface BatchWriter {
  /** @param bytes size of the files */
  add(readings: readonly TimedReading[], bytes: number): Promise<void>
  /** Stores the remaining results. */
  flush(): Promise<void>
}

export interface BatchWriterOptions {
  files: Pick<FileIndexer, 'store'>
  /** Milliseconds before each attempt to write to a full disk. */
  retryDelays: readonly number[]
  /** Cancels waiting for disk space. */
  closing: AbortSignal
  /** Whether the files are still needed. */
  isCurrent(): boolean
  /** Yields to requests. */
  yieldToRequests(): Promise<void>
  onStored(count: number): void
  onNotice(message: string): void
}

/** Bytes of text collected before they are stored. */
const maxBatchBytes = 1024 * 1024
/** Maximum milliseconds of processor time of a transaction, which requests wait for. It may exceed it by one file. */
const maxTransactionTime = 50
/** Milliseconds after which results are stored, however few they are. */
const maxStoreDelay = 250

export function createBatchWriter(options: BatchWriterOptions): BatchWriter {
  const { files, retryDelays, closing, isCurrent, yieldToRequests, onStored, onNotice } = options
  let batch: TimedReading[] = []
  let batchBytes = 0
  let oldest = 0
  /** A full disk is retried file by file, so only one batch may be written at a time. */
  let writing: Promise<void> = Promise.resolve()

  function flush(): Promise<void> {
    const full = batch
    batch = []
    batchBytes = 0
    writing = writing.then(() => storeBatch(full))
    return writing
  }

  async function storeBatch(full: readonly TimedReading[]): Promise<void> {
    for (let rest = full; rest.length > 0 && isCurrent();) {
      try {
        const stored = files.store(rest, maxTransactionTime)
        onStored(stored)
        rest = rest.slice(stored)
      } catch (error) {
        if (!isNoSpace(error)) throw error
        for (const reading of rest) await storeWithRetries(reading)
        return
      }
      await yieldToRequests()
    }
  }

  async function storeWithRetries(reading: TimedReading): Promise<void> {
    for (let failures = 0; isCurrent(); failures++) {
      try {
        files.store([reading])
        return onStored(1)
      } catch (error) {
        const classified = classifyError(error)
        if (!isNoSpace(classified)) throw error
        onNotice(`${classified.message} ${classified.next}`)
        await pause(retryDelays[Math.min(failures, retryDelays.length - 1)] ?? 0)
      }
    }
  }

  /** Returns early if indexing is closed. */
  async function pause(milliseconds: number): Promise<void> {
    try {
      await delay(milliseconds, undefined, { signal: closing })
    } catch (error) {
      if (!closing.aborted) throw error
    }
  }

  return {
    async add(readings, bytes) {
      if (batch.length === 0) oldest = performance.now()
      batch.push(...readings)
      batchBytes += bytes
      if (batchBytes >= maxBatchBytes || performance.now() - oldest > maxStoreDelay) await flush()
    },
    flush,
  }
}

const isNoSpace = (error: unknown): error is ToolError => error instanceof ToolError && error.code === 'no_space'

import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { RunIsolated } from '../base/isolatedJob.ts'
import { log } from '../base/log/log.ts'
import { workerFile } from '../base/workerFile.ts'

/** Milliseconds between copies. */
const interval = 24 * 60 * 60 * 1000
/** Milliseconds after the start, so that the copy does not slow it down. Short commands exit before. */
const startDelay = 10_000
/** Copying a store of several gigabytes takes minutes. */
const limits = { cpuMs: 300_000, wallMs: 3_000_000, memoryMb: 512 }

/** Job of the worker (storeCopyWorker.ts). */
export const copyJobSchema = z.object({ file: z.string(), copy: z.string() })
export type CopyJob = z.infer<typeof copyJobSchema>

/** Returns the path of the copy of a store. */
export const copyOf = (file: string): string => `${file}.copy`

/** Returns when the copy of a store was made, if there is one. */
export function copyTime(file: string): Date | undefined {
  return statSync(copyOf(file), { throwIfNoEntry: false })?.mtime
}

/**
 * Keeps one verified copy of the store, at most a day old, while Tizona runs. A separate process makes it.
 * @returns a function that stops this
 */
export function keepStoreCopy(file: string, run: RunIsolated): () => void {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined

  function schedule(delay: number): void {
    timer = setTimeout(() => void copyIfDue(), delay).unref()
  }
  async function copyIfDue(): Promise<void> {
    const age = Date.now() - (copyTime(file)?.getTime() ?? 0)
    if (age < interval) return schedule(interval - age)
    try {
      const job: CopyJob = { file, copy: copyOf(file) }
      await run(workerFile(import.meta, 'storeCopyWorker'), job, limits, stopping.signal)
    } catch (error) {
      if (stopping.signal.aborted) return
      log.error('The daily copy of the store could not be made; the previous copy is kept', error)
    }
    schedule(interval)
  }

  schedule(startDelay)
  return () => {
    clearTimeout(timer)
    stopping.abort()
  }
}

/**
 * Whether a missing or empty store had data: it was closed properly before, has a copy, or the folder contains data
 * that only a store refers to.
 */
export function isStoreLost(userData: string, file: string): boolean {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return false
  return [`${file}.closed`, copyOf(file), path.join(userData, 'checkpoints')].some((trace) => existsSync(trace))
}

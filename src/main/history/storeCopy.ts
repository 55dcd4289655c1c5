import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { RunIsolated } from '../base/isolatedJob.ts'
import { log } from '../base/log/log.ts'
import { workerFile } from '../base/workerFile.ts'

/** Milliseconds between two copies. */
const interval = 24 * 60 * 60 * 1000
/** Milliseconds after the start, whose speed the copy must not reduce. Short commands end before. */
const startDelay = 10_000
/** A store of several gigabytes is copied in minutes. */
const limits = { cpuMs: 300_000, wallMs: 3_000_000, memoryMb: 512 }

/** What the worker needs (storeCopyWorker.ts). */
export const copyJobSchema = z.object({ file: z.string(), copy: z.string() })
export type CopyJob = z.infer<typeof copyJobSchema>

/** Returns the file of the copy of a store. */
export const copyOf = (file: string): string => `${file}.copy`

/** When the copy of a store was made, if there is one. */
export function copyTime(file: string): Date | undefined {
  return statSync(copyOf(file), { throwIfNoEntry: false })?.mtime
}

/**
 * Keeps one verified copy of a store that is at most a day old, as long as Tizona runs. A process of its own makes it.
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
      log.error('The daily copy of the store could not be made; the earlier one remains', error)
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
 * Whether a store that is missing or empty had content: it was closed before, is copied, or the folder has what only a
 * store refers to.
 */
export function isStoreLost(userData: string, file: string): boolean {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return false
  return [`${file}.closed`, copyOf(file), path.join(userData, 'checkpoints')].some((trace) => existsSync(trace))
}

import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const gibibyte = 2 ** 30

/** What the unit tests need: a fifth of this for their files, and the rest of the memory for their processes. */
const minSpace = gibibyte
const minMemory = 4 * gibibyte

/**
 * Creates a folder for temporary files in the memory of the machine, and removes those of runs that were killed. Unit
 * tests write thousands of small files and databases, and writing them to a disk takes more processor time than the
 * rest of these tests.
 * @param {string} [base] a folder in memory; Linux has one
 * @returns {{ path: string, remove(): void } | null} null without such a folder, or if space or memory are short
 */
export function createMemoryFolder(
  base = '/dev/shm',
  memory = typeof process.availableMemory === 'function' ? process.availableMemory() : freemem(),
) {
  if (process.platform !== 'linux' || memory < minMemory) return null
  try {
    accessSync(base, constants.W_OK)
    removeLeftovers(base)
    const { bavail, bsize } = statfsSync(base)
    if (bavail * bsize < minSpace) return null
    const path = mkdtempSync(join(base, `tizona-test-${process.pid}-`))
    // Some tests run a program as another user in a folder of theirs.
    chmodSync(path, 0o755)
    const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 })
    return { path, remove }
  } catch {
    // Without it, temporary files are where the system has them.
    return null
  }
}

function removeLeftovers(base) {
  for (const name of readdirSync(base)) {
    const pid = /^tizona-test-(\d+)-\w+$/.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(base, name), { recursive: true, force: true })
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

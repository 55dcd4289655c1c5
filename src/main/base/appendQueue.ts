import { appendFile as appendWithCallback, appendFileSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from './fileErrors.ts'
import { makeFolder, makeFolderSync } from './makeFolder.ts'

export interface AppendQueueOptions {
  /** The current file; its folder is created. Only the user can read both. */
  path: string
  /** Size in bytes above which the file is renamed and a new one starts. */
  maxBytes: number
  /** Number of files, including the current one. */
  maxFiles: number
  onWritten?(): void
  /** Receives each failure. The text of the failed write is lost. */
  onFailed(error: unknown): void
}

/** Appends text to a rotated file without making the caller wait. Several processes may append to the same file. */
export interface AppendQueue {
  /** @param isUrgent if false, the text may wait a moment for more, which makes the caller's own work quicker */
  push(text: string, isUrgent?: boolean): void
  /** Resolves when all text so far is written or has failed. */
  flush(): Promise<void>
  /** Writes what is pending at once. Used when the process ends, which waits for nothing. */
  writeNow(): void
}

// With a callback it takes a third of the time of `fs/promises`, which opens a handle. Each tool call appends.
const appendFile = promisify(appendWithCallback)

/** Share of the maximum size after which the size is checked again. */
const checkedShare = 1 / 64

/** How long text that is not urgent waits for more, in milliseconds. */
const togetherMs = 50

export function createAppendQueue({ path, maxBytes, maxFiles, onWritten, onFailed }: AppendQueueOptions): AppendQueue {
  let pending: string[] = []
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  /** Bytes appended by this process since the size was checked. */
  let unchecked = Infinity

  function takePending(): string {
    const text = pending.join('')
    pending = []
    return text
  }

  async function append(text: string): Promise<void> {
    try {
      await appendFile(path, text, { mode: 0o600 })
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      await makeFolder(dirname(path))
      await appendFile(path, text, { mode: 0o600 })
    }
  }

  async function writePending(): Promise<void> {
    // Collects the text of this tick, which is written together.
    await new Promise(setImmediate)
    while (pending.length > 0) {
      const text = takePending()
      try {
        await append(text)
        unchecked += Buffer.byteLength(text)
        if (unchecked >= maxBytes * checkedShare) {
          await rotateFiles(path, maxBytes, maxFiles)
          unchecked = 0
        }
        onWritten?.()
      } catch (error) {
        onFailed(error)
      }
    }
    // In the same tick as the check above, or text that is pushed in between would wait for the next push.
    writing = undefined
  }

  function begin(): void {
    clearTimeout(timer)
    timer = undefined
    if (pending.length > 0) writing ??= writePending()
  }

  return {
    push(text, isUrgent = true) {
      pending.push(text)
      if (isUrgent) begin()
      else timer ??= setTimeout(begin, togetherMs)
    },
    async flush() {
      begin()
      await writing
    },
    writeNow() {
      if (pending.length === 0) return
      try {
        makeFolderSync(dirname(path))
        appendFileSync(path, takePending(), { mode: 0o600 })
      } catch (error) {
        onFailed(error)
      }
    },
  }
}

/** Returns the path of an older file: `name.1.log` for the first one before `name.log`. */
export function rotatedPath(path: string, index: number): string {
  if (index === 0) return path
  const extension = extname(path)
  return `${path.slice(0, path.length - extension.length)}.${index}${extension}`
}

/**
 * Renames a file that exceeds `maxBytes`, and the older ones, so that a new one can begin. Deletes the oldest. Several
 * processes may do so.
 * @param maxFiles number of files, the current one included
 */
async function rotateFiles(path: string, maxBytes: number, maxFiles: number): Promise<void> {
  if ((await stat(path)).size <= maxBytes) return
  await rm(rotatedPath(path, maxFiles - 1), { force: true })
  for (let index = maxFiles - 2; index >= 0; index--) {
    // Another process may have renamed the full file a moment ago.
    if (index === 0 && (await stat(path)).size <= maxBytes) return
    await rename(rotatedPath(path, index), rotatedPath(path, index + 1)).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
    })
  }
}

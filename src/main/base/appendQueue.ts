import { appendFile as appendWithCallback, appendFileSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from './fileErrors.ts'
import { makeFolder, makeFolderSync } from './makeFolder.ts'
import { Delayer } from '../../shared/async/delayer.ts'

export interface AppendQueueOptions {
  /** The current file. Its folder is created if necessary. Only the user can read the file and the folder. */
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
  /** @param isUrgent if false, the text may be delayed and batched with later text */
  push(text: string, isUrgent?: boolean): void
  /** Resolves when all text so far is written or has failed. */
  flush(): Promise<void>
  /** Writes pending text synchronously. For the end of the process. */
  writeNow(): void
}

// The callback API takes a third of the time of `fs/promises`, which opens a handle. Each tool call appends.
const appendFile = promisify(appendWithCallback)

/** The size is checked again after this share of the maximum has been appended. */
const checkedShare = 1 / 64

/** How long text that is not urgent waits for more, in milliseconds. */
const togetherMs = 50

export function createAppendQueue({ path, maxBytes, maxFiles, onWritten, onFailed }: AppendQueueOptions): AppendQueue {
  let pending: string[] = []
  let writing: Promise<void> | undefined
  const beginning = new Delayer(begin, togetherMs)
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
    // Collects the text of this tick, so that it is written at once.
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
    // Must run in the same tick as the check above. Otherwise text pushed in between would wait for the next push.
    writing = undefined
  }

  function begin(): void {
    beginning.cancel()
    if (pending.length > 0) writing ??= writePending()
  }

  return {
    push(text, isUrgent = true) {
      pending.push(text)
      if (isUrgent) begin()
      else beginning.start()
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

/** Returns the path of a rotated file, e.g. `name.1.log` for index 1. */
export function rotatedPath(path: string, index: number): string {
  if (index === 0) return path
  const extension = extname(path)
  return `${path.slice(0, path.length - extension.length)}.${index}${extension}`
}

/**
 * Rotates the files if the current one exceeds `maxBytes`, and deletes the oldest. Safe for several processes.
 * @param maxFiles number of files, including the current one
 */
async function rotateFiles(path: string, maxBytes: number, maxFiles: number): Promise<void> {
  if ((await stat(path)).size <= maxBytes) return
  await rm(rotatedPath(path, maxFiles - 1), { force: true })
  for (let index = maxFiles - 2; index >= 0; index--) {
    // Another process may just have renamed the file.
    if (index === 0 && (await stat(path)).size <= maxBytes) return
    await rename(rotatedPath(path, index), rotatedPath(path, index + 1)).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
    })
  }
}

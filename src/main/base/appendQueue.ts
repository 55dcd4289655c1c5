import { appendFileSync, mkdirSync } from 'node:fs'
import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { rotateFiles } from './rotateFiles.ts'

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
  push(text: string): void
  /** Resolves when all text so far is written or has failed. */
  flush(): Promise<void>
  /** Writes what is pending at once. Used when the process ends, which waits for nothing. */
  writeNow(): void
}

export function createAppendQueue({ path, maxBytes, maxFiles, onWritten, onFailed }: AppendQueueOptions): AppendQueue {
  let pending: string[] = []
  let writing: Promise<void> | undefined

  function takePending(): string {
    const text = pending.join('')
    pending = []
    return text
  }

  async function writePending(): Promise<void> {
    // Collects the text of this tick, which is written together.
    await new Promise(setImmediate)
    while (pending.length > 0) {
      const text = takePending()
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await appendFile(path, text, { mode: 0o600 })
        await rotateFiles(path, maxBytes, maxFiles)
        onWritten?.()
      } catch (error) {
        onFailed(error)
      }
    }
    // In the same tick as the check above, or text that is pushed in between would wait for the next push.
    writing = undefined
  }

  return {
    push(text) {
      pending.push(text)
      writing ??= writePending()
    },
    flush: async () => writing,
    writeNow() {
      if (pending.length === 0) return
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        appendFileSync(path, takePending(), { mode: 0o600 })
      } catch (error) {
        onFailed(error)
      }
    },
  }
}

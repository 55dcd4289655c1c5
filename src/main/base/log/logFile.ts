import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createAppendQueue } from '../appendQueue.ts'
import { errorCode } from '../fileErrors.ts'
import { log, setFileSink, type LogEntry } from './log.ts'

export interface LogFile {
  readonly path: string
  /** Resolves when all entries so far are written to disk. */
  flush(): Promise<void>
  /** Writes pending entries and stops logging to the file. */
  close(): Promise<void>
}

export interface LogFileOptions {
  /** Size in bytes above which the file is renamed and a new one starts. */
  maxBytes?: number
  /** Number of files, including the current one. */
  maxFiles?: number
}

let current: LogFile | undefined

/** Returns this process's open log file, if any. */
export function currentLogFile(): LogFile | undefined {
  return current
}

/**
 * Starts logging to `logs/tizona.log` in the user data folder, rotated to `tizona.1.log`, `tizona.2.log` and so on.
 * Several processes can log to the same file, because each line has the process id. A file that cannot be written is
 * reported once on standard error, and the process continues without it.
 */
export function openLogFile(userData: string, { maxBytes = 1_000_000, maxFiles = 3 }: LogFileOptions = {}): LogFile {
  const path = join(userData, 'logs', 'tizona.log')
  let failed = false
  const queue = createAppendQueue({ path, maxBytes, maxFiles, onFailed: fail })
  const writeAtExit = () => queue.writeNow()

  function fail(error: unknown): void {
    if (failed) return
    failed = true
    setFileSink(undefined)
    log.warn(`The log file ${path} cannot be written`, error)
  }

  const logFile: LogFile = {
    path,
    flush: queue.flush,
    async close() {
      if (current === logFile) {
        setFileSink(undefined)
        current = undefined
      }
      process.off('exit', writeAtExit)
      await queue.flush()
    },
  }
  void current?.close()
  current = logFile
  setFileSink((entry) => queue.push(formatEntry(entry)))
  process.on('exit', writeAtExit)
  return logFile
}

/** Formats an entry. Lines after the first are indented, so that an unindented line starts the next entry. */
export function formatEntry({ at, level, text }: LogEntry): string {
  return `${new Date(at).toISOString()} ${level.padEnd(5)} [${process.pid}] ${text.replaceAll('\n', '\n  ')}\n`
}

/**
 * Returns up to `maxBytes` bytes from the end of a log file, starting at a complete line, and whether older text was
 * omitted. The text is empty if there is no file yet.
 */
export async function readLogTail(path: string, maxBytes: number): Promise<{ text: string; truncated: boolean }> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
  if (file === null) return { text: '', truncated: false }
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - maxBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    const text = buffer.toString('utf8', 0, bytesRead)
    return { text: start === 0 ? text : text.slice(text.indexOf('\n') + 1), truncated: start > 0 }
  } finally {
    await file.close()
  }
}

import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { makeFolderSync } from '../../base/makeFolder.ts'

/** The current activity of the index: reading a text or answering a request. */
export interface Activity {
  /** Path of the text being read, relative to the workspace. */
  path?: string
  /** SHA-1 of that text. */
  digest?: string
  /** Name of the current request. */
  request?: string
  /** Whether threads are reading files, any of which may have crashed the process. */
  threads?: boolean
}

/** Values of the activity slot. A request has a longer time limit than a file. */
export const activityKinds = { idle: 0, request: 1, file: 2, threads: 3 } as const

/** Slots of the shared state: activity kind, number of changes, and one that never changes, for timed waits. */
export const stateSlots = { kind: 0, count: 1, never: 2 } as const

/**
 * Records the current activity in shared memory for the watchdog thread, and in a small file that survives a crash.
 */
export interface Progress {
  /** Sets the current request; undefined when it is finished. */
  request(name: string | undefined): void
  /** Runs `read`, which must be synchronous, and records the file as the current activity. */
  file<T>(path: string, digest: string, read: () => T): T
  /** Sets whether threads read files. */
  threads(running: boolean): void
  /** Empties and closes the file. */
  close(): void
}

/** Number of progress files of this process. */
let progressFiles = 0

/**
 * Returns a path for a progress file next to the database, unique to this call and process. Removes the progress
 * files of dead processes.
 */
export function createProgressPath(database: string): string {
  const folder = path.dirname(database)
  makeFolderSync(folder)
  for (const name of readdirSync(folder)) {
    const pid = /\.(\d+)-\d+\.progress(?:-why)?$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(path.join(folder, name), { force: true })
  }
  return `${database}.${process.pid}-${progressFiles++}.progress`
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** @param state shared memory with the slots of `stateSlots` */
export function openProgress(file: string, state: Int32Array): Progress {
  const handle = openSync(file, 'w', 0o600)
  let current: Activity = {}
  let threads = false

  function note(activity: Activity, kind: number): void {
    current = activity
    const text = `${JSON.stringify(threads ? { ...activity, threads } : activity)}\n`
    // A shorter note leaves the end of a longer one behind; only the first line is read.
    writeSync(handle, text, 0)
    const before = Atomics.exchange(state, stateSlots.kind, kind)
    Atomics.add(state, stateSlots.count, 1)
    if (before === activityKinds.idle) Atomics.notify(state, stateSlots.count)
  }

  const noteRequest = (request: string | undefined): void =>
    request === undefined
      ? note({}, threads ? activityKinds.threads : activityKinds.idle)
      : note({ request }, activityKinds.request)

  return {
    request: noteRequest,
    file(place, digest, read) {
      const { request } = current
      note({ path: place, digest, ...(request === undefined ? {} : { request }) }, activityKinds.file)
      try {
        return read()
      } finally {
        noteRequest(request)
      }
    },
    threads(running) {
      threads = running
      noteRequest(current.request)
    },
    close() {
      ftruncateSync(handle)
      closeSync(handle)
    },
  }
}

const activity = z.object({
  path: z.string().optional(),
  digest: z.string().optional(),
  request: z.string().optional(),
  threads: z.boolean().optional(),
})
const reasonFile = (file: string): string => `${file}-why`

/** Records why the process terminates itself. */
export function writeReason(file: string, reason: string): void {
  writeFileSync(reasonFile(file), reason, { mode: 0o600 })
}

/** Returns the last activity of a dead process and, if it terminated itself, the reason. Removes both files. */
export function readAndRemoveProgress(file: string): { activity: Activity; reason?: string } {
  const line = textOf(file)?.split('\n')[0] ?? ''
  const reason = textOf(reasonFile(file))
  for (const name of [file, reasonFile(file)]) rmSync(name, { force: true })
  try {
    return { activity: activity.parse(JSON.parse(line)), ...(reason === undefined ? {} : { reason }) }
  } catch {
    // The file is empty, or was truncated by the crash.
    return { activity: {}, ...(reason === undefined ? {} : { reason }) }
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The file does not exist.
    return undefined
  }
}

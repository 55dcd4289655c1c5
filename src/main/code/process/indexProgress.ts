import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { z } from 'zod'

/** The current activity of the index: reading a text or answering a request. */
export interface Activity {
  /** Path of the text being read, relative to the workspace. */
  path?: string
  /** SHA-1 of that text. */
  digest?: string
  /** Name of the current request. */
  request?: string
}

/** Values of the activity slot. A request has a longer time limit than a file. */
export const activityKinds = { idle: 0, request: 1, file: 2 } as const

/** Slots of the shared state: activity kind, change counter, and a slot that never changes, used for timed waits. */
export const stateSlots = { kind: 0, count: 1, never: 2 } as const

/**
 * Records the current activity in memory for the watchdog thread, and in a small file that survives a crash. If the
 * whole application is killed, the file remains; its name contains the process id.
 */
export interface Progress {
  /** Sets the current request; undefined when it is finished. */
  request(name: string | undefined): void
  /** Runs the synchronous reading of one text. */
  file<T>(path: string, digest: string, read: () => T): T
  close(): void
}

export function openProgress(file: string, state: Int32Array): Progress {
  const handle = openSync(file, 'w', 0o600)
  let current: Activity = {}

  function note(activity: Activity, kind: number): void {
    current = activity
    const text = `${JSON.stringify(activity)}\n`
    // A shorter note leaves the end of a longer one behind; only the first line is read.
    writeSync(handle, text, 0)
    const before = Atomics.exchange(state, stateSlots.kind, kind)
    Atomics.add(state, stateSlots.count, 1)
    if (before === activityKinds.idle) Atomics.notify(state, stateSlots.count)
  }

  const outside = (request: string | undefined): void =>
    request === undefined ? note({}, activityKinds.idle) : note({ request }, activityKinds.request)

  return {
    request: outside,
    file(path, digest, read) {
      const { request } = current
      note({ path, digest, ...(request === undefined ? {} : { request }) }, activityKinds.file)
      try {
        return read()
      } finally {
        outside(request)
      }
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
})
const reasonFile = (file: string): string => `${file}-why`

/** Records why the process is being ended. */
export function writeReason(file: string, reason: string): void {
  writeFileSync(reasonFile(file), reason, { mode: 0o600 })
}

/** Returns the last activity of an ended process and the reason, if it was ended on purpose. Removes both files. */
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

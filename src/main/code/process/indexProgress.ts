import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { z } from 'zod'

/** What the index does at the moment: reading one text, or answering one request. */
export interface Activity {
  /** The file whose text is read, relative to the workspace. */
  path?: string
  /** SHA-1 of that text. */
  digest?: string
  /** The request that is answered. */
  request?: string
}

/** Values of the shared state. A request may take longer than the reading of one file. */
export const activityKinds = { idle: 0, request: 1, file: 2 } as const

/** Slots of the shared state: what kind of activity, a count that grows with each change, and one that never changes, to wait on. */
export const stateSlots = { kind: 0, count: 1, never: 2 } as const

/**
 * Notes what the process does: in memory for its watchdog thread, and in a small file, so that the file that was read is known after a
 * crash as well. A kill of the whole application leaves such a file behind; its name holds the application's process id.
 */
export interface Progress {
  /** The answering of requests, one at a time; undefined when it is over. */
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
    // A shorter note leaves the end of a longer one behind it; only the first line is read.
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

/** Notes why the process is ended. */
export function writeReason(file: string, reason: string): void {
  writeFileSync(reasonFile(file), reason, { mode: 0o600 })
}

/** What a process that ended was doing, and why it was ended where something ended it; removes both notes. */
export function readAndRemoveProgress(file: string): { activity: Activity; reason?: string } {
  const line = textOf(file)?.split('\n')[0] ?? ''
  const reason = textOf(reasonFile(file))
  for (const name of [file, reasonFile(file)]) rmSync(name, { force: true })
  try {
    return { activity: activity.parse(JSON.parse(line)), ...(reason === undefined ? {} : { reason }) }
  } catch {
    // Cut off by the crash, or never written: nothing is known.
    return { activity: {}, ...(reason === undefined ? {} : { reason }) }
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // There is none.
    return undefined
  }
}

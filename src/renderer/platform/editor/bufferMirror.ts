import type { FileStamp, TextFormat } from '../../../shared/files.ts'
import type { TextChange } from '../../../shared/textChanges.ts'
import type { Bridge } from '../bridge/bridge.ts'

/** The state of an open file for main. `text` is null while the file has no unsaved changes. */
export interface MirroredBuffer {
  open: boolean
  dirty: boolean
  text: string | null
  /** Stamp of the file version that the unsaved text is based on, and the format for saving it. */
  stamp?: FileStamp
  format?: TextFormat
}

/** Source of the texts. */
export interface MirrorSource {
  stateOf(path: string): MirroredBuffer
  /** Length of an open file's text in UTF-16 units. */
  lengthOf(path: string): number
}

/** A full text that was sent, and the changes sent after it. */
interface Chain {
  /** Version of the full text. It identifies the chain. */
  start: number
  /** Version of the text in main after everything sent has arrived. */
  version: number
  /** Changes since the last send, oldest first. */
  pending: TextChange[]
}

/** Maximum number of pending changes. Above it, sending the full text is cheaper. */
const maxPending = 2000

/**
 * Sends the open files and their unsaved text to main, so that a reload loses nothing. The full text is sent once, then
 * only changes. If main refuses a change because its text differs, the full text is sent again.
 */
export function createBufferMirror(request: Bridge['request'], source: MirrorSource) {
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  const chains = new Map<string, Chain>()
  let version = 0

  function forgetTimer(path: string): void {
    clearTimeout(timers.get(path))
    timers.delete(path)
  }

  function sendWhole(path: string): void {
    forgetTimer(path)
    const state = source.stateOf(path)
    version += 1
    const start = version
    if (state.text === null) chains.delete(path)
    else chains.set(path, { start, version, pending: [] })
    // Requests fail while disconnected. The next connection sends everything again.
    request('buffers.sync', { path, ...state, version }).catch(() => endChain(path, start))
  }

  function sendPending(path: string): void {
    forgetTimer(path)
    const chain = chains.get(path)
    if (chain === undefined || chain.pending.length > maxPending) return sendWhole(path)
    if (chain.pending.length === 0) return
    version += 1
    const { start, version: base, pending: changes } = chain
    chains.set(path, { start, version, pending: [] })
    request('buffers.edit', { path, base, version, changes, length: source.lengthOf(path) }).then(
      (applied) => {
        if (!applied && chains.get(path)?.start === start) sendWhole(path)
      },
      () => endChain(path, start),
    )
  }

  /** What follows must be a whole text again. */
  function endChain(path: string, start: number): void {
    if (chains.get(path)?.start === start) chains.delete(path)
  }

  return {
    /** The file's whole state, at once. */
    now: sendWhole,
    /** The text changed: `null` when only the whole text tells how. Nothing is sent yet. */
    changed(path: string, changes: readonly TextChange[] | null): void {
      if (changes === null) chains.delete(path)
      else chains.get(path)?.pending.push(...changes)
    },
    /** What changed, within `delay` milliseconds, however long the user goes on typing. */
    soon(path: string, delay: number): void {
      if (timers.has(path)) return
      timers.set(
        path,
        setTimeout(() => sendPending(path), delay),
      )
    },
    /** At once, what was to be sent soon: main is asked about the text, or the page is about to go. */
    flush(): void {
      for (const path of timers.keys()) sendPending(path)
    },
    /** Forgets what was to be sent. */
    stop(): void {
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
      chains.clear()
    },
  }
}

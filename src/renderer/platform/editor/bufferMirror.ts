import type { FileStamp, TextFormat } from '../../../shared/files.ts'
import type { TextChange } from '../../../shared/textChanges.ts'
import type { Bridge } from '../bridge/bridge.ts'

/** What main has to know about an open file; `text` is null while it is the one on disk. */
export interface MirroredBuffer {
  open: boolean
  dirty: boolean
  text: string | null
  /** Of the file that the unsaved text was made from, and the format in which it is to be saved. */
  stamp?: FileStamp
  format?: TextFormat
}

/** Where the texts come from. */
export interface MirrorSource {
  stateOf(path: string): MirroredBuffer
  /** UTF-16 units of an open file's text. */
  lengthOf(path: string): number
}

/** A whole text that was sent, and the typing sent after it. */
interface Chain {
  /** Version of the whole text, which names the chain. */
  start: number
  /** Version of the text that main holds once everything sent has arrived. */
  version: number
  /** Typed since, oldest first. */
  pending: TextChange[]
}

/** More changes than this cost more than the text that they change. */
const maxPending = 2000

/**
 * Reports to main which files are open and what is unsaved in them, so that a reload loses nothing. A whole text goes out
 * once; typing goes out as changes to it. Where main refuses a change because it holds another text, it gets the whole one.
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
    // While disconnected nothing arrives; everything is sent again at the next connection.
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

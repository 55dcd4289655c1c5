import type { FileStamp } from '../../../../shared/files/files.ts'
import type { TextFormat } from '../../../../shared/files/textFormat.ts'
import type { TextChange } from '../../../../shared/editor/textChanges.ts'
import type { Bridge } from '../../bridge/bridge.ts'
import { Delayer } from '../../../../shared/async/delayer.ts'

/** The state of an open file in main. `text` is null while the file has no unsaved changes. */
export interface MirroredBuffer {
  open: boolean
  dirty: boolean
  text: string | null
  /** Stamp of the file version that the unsaved text is based on, and the format for saving it. */
  stamp?: FileStamp
  format?: TextFormat
}

/** Provides the current state of open files. */
export interface MirrorSource {
  stateOf(path: string): MirroredBuffer
  /** Length of an open file's text in UTF-16 units. */
  lengthOf(path: string): number
}

/** Sync state of an unsaved text: the full text, sent once, followed by changes. */
interface Chain {
  /** Version of the full text, which identifies the chain. */
  start: number
  /** Version that main has once it has received all sent messages. */
  version: number
  /** Unsent changes, oldest first. */
  pending: TextChange[]
}

export type BufferMirror = ReturnType<typeof createBufferMirror>

/** Maximum number of pending changes. Above it, the full text is cheaper. */
const maxPending = 2000

/**
 * Sends the open files and their unsaved text to main, so that a reload loses nothing. Sends the full text once, then
 * only changes. Sends the full text again if main rejects a change because its copy differs.
 */
export function createBufferMirror(request: Bridge['request'], source: MirrorSource) {
  /** Sends the recorded changes of each file. */
  const delayers = new Map<string, Delayer>()
  const chains = new Map<string, Chain>()
  let version = 0
  /** Version of the last message about each file. */
  const lastSent = new Map<string, number>()
  /** Files whose unsaved text may not have reached main. */
  const unsent = new Set<string>()

  function received(path: string, sent: number): void {
    if (lastSent.get(path) === sent && !delayers.get(path)?.isWaiting) unsent.delete(path)
  }

  function sendState(path: string): void {
    delayers.get(path)?.cancel()
    const state = source.stateOf(path)
    version += 1
    const start = version
    if (state.text === null) chains.delete(path)
    else chains.set(path, { start, version, pending: [] })
    lastSent.set(path, version)
    if (state.text === null) unsent.delete(path)
    else unsent.add(path)
    // Requests fail while disconnected. After a reconnection, `syncAll` sends everything again.
    request('buffers.sync', { path, ...state, version }).then(
      () => received(path, start),
      () => endChain(path, start),
    )
  }

  function sendPending(path: string): void {
    delayers.get(path)?.cancel()
    const chain = chains.get(path)
    if (chain === undefined || chain.pending.length > maxPending) return sendState(path)
    if (chain.pending.length === 0) return
    version += 1
    const sent = version
    lastSent.set(path, sent)
    const { start, version: base, pending: changes } = chain
    chains.set(path, { start, version, pending: [] })
    request('buffers.edit', { path, base, version, changes, length: source.lengthOf(path) }).then(
      (applied) => {
        if (applied) received(path, sent)
        else if (chains.get(path)?.start === start) sendState(path)
      },
      () => endChain(path, start),
    )
  }

  /** Ends a chain after a failed request, so that the next message contains the full text. */
  function endChain(path: string, start: number): void {
    if (chains.get(path)?.start === start) chains.delete(path)
  }

  return {
    /** Sends the state of a file immediately, with its full text if it is unsaved. */
    sendNow: sendState,
    /** Records changes to a text without sending them. @param changes null if the whole text was replaced */
    record(path: string, changes: readonly TextChange[] | null): void {
      if (changes === null) chains.delete(path)
      else chains.get(path)?.pending.push(...changes)
    },
    /** Sends recorded changes after `delay` milliseconds. More changes do not extend the delay. */
    sendLater(path: string, delay: number): void {
      unsent.add(path)
      const delayer = delayers.get(path) ?? new Delayer(() => sendPending(path))
      delayers.set(path, delayer)
      delayer.start(delay)
    },
    /** Files whose unsaved text may not have reached main, for example because the connection is lost. */
    unsentPaths: (): string[] => [...unsent],
    /** Sends scheduled changes immediately, for example before the page unloads. */
    flush(): void {
      for (const [path, { isWaiting }] of delayers) if (isWaiting) sendPending(path)
    },
    /** Cancels scheduled changes. */
    stop(): void {
      for (const delayer of delayers.values()) delayer.cancel()
      delayers.clear()
      chains.clear()
      unsent.clear()
    },
  }
}

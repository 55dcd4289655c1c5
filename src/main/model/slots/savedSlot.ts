import { isAbort } from '../../../shared/errors.ts'
import { ModelError } from '../modelClient.ts'
import { readText, sendRequest, type ConnectionOptions } from '../transport/http.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'

/** The only slot of a llama-server, whose prompt can be saved to a file on the server. */
export interface SavedSlot {
  /** Called when a request begins. @param isAside whether it is a side request */
  begin(isAside: boolean): void
  /** Saves the prompt of the conversation to the file. @returns a function that restores it; undefined on failure */
  save(signal: AbortSignal): Promise<(() => Promise<void>) | undefined>
  /** Returns, once, whether the slot was restored. The conversation's next prompt must then be in the cache. */
  takeRestored(): boolean
  /** Stops saving, because the server does not do what it reports. */
  distrust(): void
  /** Forgets the server's behavior, because it may have been restarted. */
  forget(): void
}

export interface SavedSlotDeps {
  /** The base URL from `serverRoot`. */
  root: string
  target: RequestTarget
  connection(): Promise<ConnectionOptions>
  /** Ends a restore that nobody waits for. */
  closed: AbortSignal
}

/** A single file, so that the disk does not fill up. If another process overwrites it, the cached tokens reveal it. */
const fileName = 'tizona-prompt.bin'
/** In milliseconds. A state can have gigabytes. */
const timeouts = { connectMs: 2000, headersMs: 60_000, chunkMs: 60_000 }

export function createSavedSlot({ root, target, connection, closed }: SavedSlotDeps): SavedSlot {
  /** Whether the running server saves slots. Replaced when it may have been restarted. */
  let server = { saves: true }
  /** Incremented by each conversation request and each save. Responses about an earlier state are ignored. */
  let epoch = 0
  /** Whether the last request was a side request. */
  let holdsAside = false
  /** Whether the file contains the prompt of the conversation that sent the last request. */
  let fileIsCurrent = false
  let restored = false

  async function act(action: 'save' | 'restore', signal: AbortSignal): Promise<boolean> {
    try {
      const answer = await sendRequest({
        method: 'POST',
        url: `${root}/slots/0?action=${action}`,
        connection: await connection(),
        body: { filename: fileName },
        signal,
        timeouts,
        target,
      })
      await readText(answer, target)
      return answer.status === 200
    } catch (error) {
      if (error instanceof ModelError || isAbort(error)) return false
      throw error
    }
  }

  async function restore(from: typeof server, at: number): Promise<void> {
    // Runs even after a cancelled request, because the conversation continues.
    const isRestored = await act('restore', closed)
    if (!isRestored) from.saves = false
    // If a conversation has sent a request since, its prompt is in the slot.
    if (!isRestored || epoch !== at) return
    restored = true
    holdsAside = false
  }

  return {
    begin(isAside) {
      holdsAside = isAside
      if (isAside) return
      epoch += 1
      fileIsCurrent = false
    },
    async save(signal) {
      epoch += 1
      const [from, at] = [server, epoch]
      if (!from.saves) return undefined
      // During a restore, the slot contains a side request's prompt, but the file is still current.
      if (!holdsAside) {
        fileIsCurrent = await act('save', signal)
        // A cancelled request does not show whether the server saves slots.
        if (!fileIsCurrent && !signal.aborted) from.saves = false
      }
      return fileIsCurrent ? () => restore(from, at) : undefined
    },
    takeRestored() {
      const taken = restored
      restored = false
      return taken
    },
    distrust() {
      server.saves = false
    },
    forget() {
      server = { saves: true }
      fileIsCurrent = restored = false
    },
  }
}

import { isAbort } from '../../../shared/errors.ts'
import { ModelError } from '../clients/modelClient.ts'
import { readText, sendRequest, type ConnectionOptions } from '../transport/http.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'

/** The only slot of a llama-server, whose prompt can be saved to a file on the server. */
export interface SavedSlot {
  /** Called when a request begins. @param isAside whether it is beside a conversation */
  begin(isAside: boolean): void
  /** Puts the prompt of the conversation into the file. @returns a function that restores it; undefined if it failed */
  save(signal: AbortSignal): Promise<(() => Promise<void>) | undefined>
  /** Returns, once, whether the slot was restored, so that the next prompt of a conversation must be in the cache. */
  takeRestored(): boolean
  /** The server does not do what it reports. */
  distrust(): void
  /** Forgets what the server did, because it may have been started again. */
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

/** One file, so that no disk fills up. A file of another process restores nothing useful, which the cache shows. */
const fileName = 'tizona-prompt.bin'
/** Time limits in milliseconds. A state can have gigabytes. */
const timeouts = { connectMs: 2000, headersMs: 60_000, chunkMs: 60_000 }

export function createSavedSlot({ root, target, connection, closed }: SavedSlotDeps): SavedSlot {
  /** Whether this start of the server saves slots. Replaced when it may have been started again. */
  let server = { saves: true }
  /** Changes with each request of a conversation and each save. An answer about an earlier state is ignored. */
  let epoch = 0
  /** Whether the last request was beside a conversation. */
  let holdsAside = false
  /** Whether the file has the prompt of the conversation whose request was the last one. */
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
    // Runs even after a cancelled request, because the conversation goes on.
    const isRestored = await act('restore', closed)
    if (!isRestored) from.saves = false
    // After a later request of a conversation, the answer says nothing about its prompt.
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
      // While an earlier restore has not ended, the slot has the prompt of a sub-agent, and the file is still right.
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

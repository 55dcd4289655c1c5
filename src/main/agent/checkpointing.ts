import type { UserItem } from '../../shared/conversation.ts'
import { toFailure } from '../../shared/errors.ts'
import type { Checkpoints } from '../history/checkpoints/checkpoints.ts'
import { noticeItem } from './items.ts'
import type { Transcript } from './transcript.ts'

/**
 * Default time limit in milliseconds. The first checkpoint of the largest supported folder takes half of it on a slow
 * machine; later ones are faster.
 */
const maxDurationMs = 60_000
/** Maximum length of a checkpoint's name, which is the start of the message. Characters. */
const maxReason = 80

export interface CheckpointingDeps {
  conversationId: string
  transcript: Pick<Transcript, 'items' | 'put' | 'note'>
  /** Returns the checkpoints of the open folder. */
  checkpoints(): Checkpoints
  signal: AbortSignal
  /** Time limit for a checkpoint in milliseconds. */
  maxMs?: number
}

/**
 * Takes a checkpoint before the first change that follows a user message, and stores its id in that message.
 *
 * A checkpoint that fails or takes too long does not stop the call: the call is already approved,
 * and each edit can still be undone on its card. A notice informs the user, once per message.
 * @returns a function to await before a call that may change something; it throws only if the turn is cancelled
 */
export function createCheckpointing({
  conversationId,
  transcript,
  checkpoints,
  signal,
  maxMs = maxDurationMs,
}: CheckpointingDeps): () => Promise<void> {
  /** Checkpoints in progress by message id, because parallel calls wait for the same one. */
  const started = new Map<string, Promise<void>>()

  async function take(message: UserItem): Promise<void> {
    const timeout = AbortSignal.timeout(maxMs)
    transcript.note('Saving a checkpoint…')
    try {
      const taken = await checkpoints().take(
        { reason: reasonOf(message.text), conversationId, turnId: message.id },
        AbortSignal.any([signal, timeout]),
      )
      // Read again: the message may have changed meanwhile.
      const current = transcript.items().find((item) => item.id === message.id)
      if (current?.kind === 'user') transcript.put({ ...current, checkpoint: taken.id })
    } catch (error) {
      signal.throwIfAborted()
      const why = timeout.aborted
        ? `It took longer than ${Math.round(maxMs / 1000)} seconds.`
        : toFailure(error).message
      transcript.put(
        noticeItem(
          'warning',
          `No checkpoint was saved before this change, so files cannot be restored to this message. ${why}`,
        ),
      )
    } finally {
      transcript.note(undefined)
    }
  }

  return async () => {
    signal.throwIfAborted()
    const message = transcript.items().findLast((item) => item.kind === 'user' && !item.nudge)
    if (message?.kind !== 'user' || message.checkpoint !== undefined) return
    const known = started.get(message.id) ?? take(message)
    started.set(message.id, known)
    await known
  }
}

function reasonOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > maxReason ? `${line.slice(0, maxReason)}…` : line
}

import type { UserItem } from '../../shared/conversation.ts'
import { toFailure } from '../../shared/errors.ts'
import type { Checkpoints } from '../history/checkpoints/checkpoints.ts'
import { noticeItem } from './items.ts'
import type { Transcript } from './transcript.ts'

/** Milliseconds. A first checkpoint of the largest folder that is kept takes half of it on a slow machine; later ones read what changed. */
const patience = 60_000
/** Characters of the message that name its checkpoint in lists. */
const reasonLength = 80

export interface CheckpointingDeps {
  conversationId: string
  transcript: Pick<Transcript, 'items' | 'put' | 'note'>
  /** Of the open folder. */
  checkpoints(): Checkpoints
  signal: AbortSignal
  /** Milliseconds a checkpoint may take. */
  limit?: number
}

/**
 * Keeps the files as they are before the first change that follows a message of the user's, and notes the checkpoint on that message.
 *
 * A checkpoint that fails or takes too long does not stop the call: the gate has allowed it, nobody may be there to ask, and what a
 * tool edits can still be taken back from its card. The conversation says so, once a message.
 * @returns to be awaited before a call that may change something. Throws only when the turn is cancelled.
 */
export function createCheckpointing({
  conversationId,
  transcript,
  checkpoints,
  signal,
  limit = patience,
}: CheckpointingDeps): () => Promise<void> {
  /** By message: calls that run side by side wait for the same one. */
  const begun = new Map<string, Promise<void>>()

  async function take(message: UserItem): Promise<void> {
    const tooLong = AbortSignal.timeout(limit)
    transcript.note('Keeping the files as they are…')
    try {
      const taken = await checkpoints().take(
        { reason: reasonOf(message.text), conversationId, turnId: message.id },
        AbortSignal.any([signal, tooLong]),
      )
      // Read anew: others may have added to it meanwhile.
      const now = transcript.items().find((item) => item.id === message.id)
      if (now?.kind === 'user') transcript.put({ ...now, checkpoint: taken.id })
    } catch (error) {
      signal.throwIfAborted()
      const why = tooLong.aborted
        ? `It took longer than ${Math.round(limit / 1000)} seconds.`
        : toFailure(error).message
      transcript.put(
        noticeItem(
          'warning',
          `The files could not be kept before this change, so this message cannot be gone back to. ${why}`,
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
    const known = begun.get(message.id) ?? take(message)
    begun.set(message.id, known)
    await known
  }
}

function reasonOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > reasonLength ? `${line.slice(0, reasonLength)}…` : line
}

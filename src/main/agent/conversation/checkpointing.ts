import type { UserItem } from '../../../shared/agent/conversation.ts'
import { isAbort, toFailure, ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import { log } from '../../base/log/log.ts'
import type { Checkpoints } from '../../history/checkpoints/checkpoints.ts'
import { noticeItem } from './items.ts'
import type { Transcript } from './transcript.ts'
import { truncate } from '../../../shared/text/truncate.ts'

/**
 * Default time limit in milliseconds. The first checkpoint of the largest supported folder takes half of it on a slow
 * machine; later ones are faster.
 */
const maxDurationMs = 60_000
/** Delay before reading files, in milliseconds, so that the model request is sent first. */
const prepareAfterMs = 50
/** Interval between progress notes, in milliseconds. */
const progressMs = 500
/** Maximum characters of a checkpoint's name, which is the start of the message. */
const maxReason = 80

export interface CheckpointingDeps {
  conversationId: string
  transcript: Pick<Transcript, 'items' | 'put' | 'note'>
  checkpoints(): Pick<Checkpoints, 'pending'>
  signal: AbortSignal
  /** Time limit for a checkpoint in milliseconds. */
  maxMs?: number
}

/** Checkpoints of the user messages of one turn. */
export interface Checkpointing {
  /**
   * Starts to read the files early, so that the first change need not wait for them.
   * @param delayMs default: long enough to send the first request, which reading would delay
   */
  prepare(delayMs?: number): void
  /**
   * Awaited before each call that may change something. The first one after a message starts a checkpoint, whose id is
   * stored in that message.
   * @param paths what the call may change. The checkpoint saves these first and continues during the call. Undefined if
   *   unknown: the call then waits for the whole checkpoint
   * @throws only if the turn is cancelled
   */
  beforeChange(paths: readonly string[] | undefined): Promise<void>
  /** Waits for the checkpoints. A cancelled turn does not wait, and its checkpoint is completed later. */
  finish(): Promise<void>
}

/**
 * Takes a checkpoint before the first change that follows a user message.
 *
 * A checkpoint that fails or takes too long does not stop the call: the call is already approved,
 * and each edit can still be undone on its card. A notice informs the user, once per message.
 */
export function createCheckpointing(deps: CheckpointingDeps): Checkpointing {
  const { transcript, checkpoints, signal } = deps
  /** Checkpoints by message id. They never reject. */
  const started = new Map<string, MessageCheckpoint>()
  let preparing: NodeJS.Timeout | undefined

  return {
    prepare(delayMs = prepareAfterMs) {
      // A closed folder's checkpoints would read nothing.
      const { pending } = checkpoints()
      preparing ??= setTimeout(() => void pending.prepare(), delayMs).unref()
    },
    async beforeChange(paths) {
      clearTimeout(preparing)
      signal.throwIfAborted()
      const message = transcript.items().findLast((item) => item.kind === 'user' && !item.nudge)
      if (message?.kind !== 'user') return
      let own = started.get(message.id)
      if (!own && message.checkpoint === undefined) {
        own = startCheckpoint(deps, message)
        started.set(message.id, own)
      }
      if (paths === undefined && own)
        await noted(transcript, [own], withinLimit(deps, own, checkpoints().pending.beforeChange(undefined)))
      // Also waits for checkpoints of other messages and conversations, which the change must not corrupt.
      await checkpoints()
        .pending.beforeChange(paths)
        .catch((error: unknown) => own?.fail(error))
      signal.throwIfAborted()
    },
    async finish() {
      clearTimeout(preparing)
      const { promise: cancelled, resolve } = Promise.withResolvers<void>()
      if (signal.aborted) return
      signal.addEventListener('abort', () => resolve(), { once: true })
      const complete = Promise.all([...started.values()].map(({ complete: done }) => done))
      if (started.size > 0) await noted(transcript, [...started.values()], Promise.race([complete, cancelled]))
    },
  }
}

interface MessageCheckpoint {
  /** Settles when the checkpoint is complete or has failed. */
  complete: Promise<void>
  /** Cancels the checkpoint and shows the reason, unless it is complete. */
  fail(error: unknown): void
  /** Number of files and folders read so far. */
  entriesRead(): number
}

function startCheckpoint(
  { conversationId, transcript, checkpoints }: CheckpointingDeps,
  message: UserItem,
): MessageCheckpoint {
  const failed = new AbortController()
  let pending: Checkpoints['pending'] | undefined
  let ended = false
  let saved = false

  function onSaved(checkpoint: number): void {
    saved = true
    // Reads the message again, because it may have changed in the meantime.
    const current = transcript.items().find((item) => item.id === message.id)
    if (current?.kind === 'user') transcript.put({ ...current, checkpoint })
  }

  function fail(error: unknown): void {
    if (ended) return
    ended = true
    failed.abort()
    const consequence = saved
      ? 'The checkpoint of this message is incomplete, so only files that were edited so far can be restored.'
      : 'No checkpoint was saved before this change, so files cannot be restored to this message.'
    try {
      transcript.put(noticeItem('warning', `${consequence} ${toFailure(error).message}`))
    } catch (unstored) {
      log.error('A notice about a checkpoint could not be stored', unstored)
    }
  }

  async function run(): Promise<void> {
    const request = { reason: reasonOf(message.text), conversationId, turnId: message.id }
    try {
      pending = checkpoints().pending
      await pending.begin(request, onSaved, failed.signal)
      ended = true
    } catch (error) {
      // Cancelled when the folder is closed.
      if (!isAbort(error)) fail(error)
    }
  }
  return { complete: run(), fail, entriesRead: () => pending?.entriesRead() ?? 0 }
}

/** Waits for a checkpoint, but not longer than the time limit. @throws AbortError if the turn is cancelled */
async function withinLimit(
  { signal, maxMs = maxDurationMs }: CheckpointingDeps,
  { fail }: MessageCheckpoint,
  waiting: Promise<void>,
): Promise<void> {
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>()
  const cancel = () => reject(signal.reason)
  signal.addEventListener('abort', cancel, { once: true })
  const timer = setTimeout(() => {
    fail(new ToolError('timeout', `It took longer than ${Math.round(maxMs / 1000)} seconds.`))
    resolve()
  }, maxMs)
  try {
    await Promise.race([waiting, stopped])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}

/** Shows in the conversation that the turn waits for a checkpoint, and how far it is. */
async function noted(
  transcript: CheckpointingDeps['transcript'],
  saving: readonly MessageCheckpoint[],
  waiting: Promise<unknown>,
): Promise<void> {
  transcript.note('Saving a checkpoint…')
  const timer = setInterval(() => {
    const read = Math.max(...saving.map((checkpoint) => checkpoint.entriesRead()))
    if (read > 0) transcript.note(`Saving a checkpoint: ${plural(read, 'file or folder', 'files and folders')} read…`)
  }, progressMs)
  try {
    await waiting
  } finally {
    clearInterval(timer)
    transcript.note(undefined)
  }
}

function reasonOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return truncate(line, maxReason)
}

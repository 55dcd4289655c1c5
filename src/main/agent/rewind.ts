import { randomUUID } from 'node:crypto'
import type { ConversationInfo, ConversationItem, NoticeItem } from '../../shared/conversation.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { RestorePreview, RestoreRecord, RestoreResult } from '../../shared/restore.ts'
import { plural, pluralNoun } from '../../shared/plural.ts'
import type { Checkpoint, CheckpointChange, Checkpoints, RestoreOutcome } from '../history/checkpoints/checkpoints.ts'
import type { ConversationStore } from '../history/conversations.ts'
import { cancelledCalls, noticeItem } from './items.ts'
import type { StoredTranscript } from './transcript.ts'

/** Going back to a message of the user's, and forks. Calls about an unknown message throw `not_found`. */
export interface Rewind {
  /** What going back would change; nothing is done yet. */
  preview(
    id: string,
    itemId: string,
    signal: AbortSignal,
  ): Promise<Pick<RestorePreview, 'checkpoint' | 'missing' | 'items'> & { changes: CheckpointChange[] }>
  /**
   * Makes the files what they were before the first change after a message, removes the message and what follows from the conversation, or
   * both. What was is kept, and a notice offers it. Throws `conflict` while a turn runs.
   */
  restore(
    id: string,
    itemId: string,
    what: { files: boolean; conversation: boolean },
    signal: AbortSignal,
  ): Promise<RestoreResult>
  /** Takes back the restore that a notice tells of. Throws `conflict` where the conversation has gone on since. */
  undo(id: string, noticeId: string, signal: AbortSignal): Promise<RestoreResult>
  /**
   * A new conversation with the items up to and with this one. Of a message of the user's those before it: its text is given back to be
   * written anew. Without an item all of them.
   */
  fork(id: string, itemId?: string): { info: ConversationInfo; text: string }
  /** A restore is under way: no turn may begin. */
  running(): boolean
}

interface Conversation {
  readonly info: ConversationInfo
  readonly transcript: StoredTranscript
}

export interface RewindDeps {
  store: ConversationStore
  /** Of the open folder. */
  checkpoints(): Checkpoints
  open(id: string): Conversation
  /** The same for one that may be changed with its files now. Throws `conflict` while a turn runs. */
  idle(id: string): Conversation
  /** Deletes one that nobody needs any more. */
  forget(id: string): void
}

export function createRewind({ store, checkpoints, open, idle, forget }: RewindDeps): Rewind {
  let busy = false

  async function alone<T>(work: () => Promise<T>): Promise<T> {
    if (busy) throw new ToolError('conflict', 'Files are being restored already.', 'Wait until that has ended.')
    busy = true
    try {
      return await work()
    } finally {
      busy = false
    }
  }

  function keptAt(items: readonly ConversationItem[], at: number): Checkpoint | RestorePreview['missing'] {
    const named = items.slice(at).find((item) => item.kind === 'user' && item.checkpoint !== undefined)
    if (named?.kind !== 'user') return 'unchanged'
    return (
      checkpoints()
        .list()
        .find(({ id }) => id === named.checkpoint) ?? 'forgotten'
    )
  }

  function copy(source: ConversationInfo, items: readonly ConversationItem[], title: string): ConversationInfo {
    const now = Date.now()
    const info: ConversationInfo = {
      ...source,
      id: randomUUID(),
      title: title.slice(0, 200),
      createdAt: now,
      updatedAt: now,
      forkedFrom: source.id,
    }
    store.add(info, settled(items))
    return info
  }

  /** The items of a conversation as it was before a restore. */
  function unchangedFork(id: string): ConversationItem[] {
    const { createdAt, updatedAt } = store.get(id)
    if (createdAt === updatedAt) return store.items(id)
    throw new ToolError(
      'conflict',
      'The conversation as it was before has gone on itself.',
      'Open it among the past conversations.',
    )
  }

  return {
    running: () => busy,
    async preview(id, itemId, signal) {
      const { transcript } = open(id)
      const items = transcript.items()
      const at = messageAt(items, itemId)
      const kept = keptAt(items, at)
      const rest = items.slice(at).filter(({ kind }) => kind !== 'notice').length
      if (typeof kept !== 'object') return { checkpoint: null, missing: kept, changes: [], items: rest }
      return {
        checkpoint: { id: kept.id, at: kept.at },
        changes: await checkpoints().changes(kept.id, signal),
        items: rest,
      }
    },
    restore: (id, itemId, { files, conversation }, signal) =>
      alone(async () => {
        const { info, transcript } = idle(id)
        const items = [...transcript.items()]
        const at = messageAt(items, itemId)
        const message = items[at]
        const kept = files ? keptAt(items, at) : undefined
        if (files && typeof kept !== 'object')
          throw new ToolError(
            'not_found',
            'The files as they were at this message are not kept.',
            'Restore the conversation only.',
          )
        const notice = noticeItem('info', 'Files are being restored…')
        const record: RestoreRecord = { state: 'running' }
        let outcome: RestoreOutcome | undefined
        if (typeof kept === 'object') {
          const began = (before: number): void => {
            record.before = before
            transcript.put({ ...notice, restore: { ...record } })
          }
          try {
            outcome = await checkpoints().restore(kept.id, { began }, signal)
          } catch (error) {
            if (record.before !== undefined) transcript.put(stopped(notice, record, toFailure(error).message))
            throw error
          }
        }
        if (conversation) {
          record.fork = copy(info, items, `${info.title} (before going back)`).id
          transcript.truncate(itemId)
        }
        transcript.put({
          ...notice,
          text: told(outcome, conversation),
          action: 'undoRestore',
          restore: { ...record, state: 'done' },
        })
        return result(outcome, conversation && message?.kind === 'user' ? message.text : null)
      }),
    undo: (id, noticeId, signal) =>
      alone(async () => {
        const { transcript } = idle(id)
        const notice = transcript.items().find((item) => item.id === noticeId)
        if (notice?.kind !== 'notice' || notice.restore?.state !== 'done')
          throw new ToolError('not_found', 'There is no restore to take back.', 'Reload the conversation.')
        const { before, fork } = notice.restore
        const old = fork === undefined ? undefined : unchangedFork(fork)
        if (old && transcript.items().at(-1)?.id !== noticeId) {
          throw new ToolError(
            'conflict',
            'The conversation has gone on since.',
            'The one before is kept among the past conversations: open it there.',
          )
        }
        const outcome = before === undefined ? undefined : await checkpoints().restore(before, {}, signal)
        if (fork !== undefined && old) {
          transcript.truncate(noticeId)
          const present = new Set(transcript.items().map((item) => item.id))
          for (const item of old) if (!present.has(item.id)) transcript.put(item)
          forget(fork)
        }
        transcript.put({
          ...notice,
          text: `The restore was undone.${leftAlone(outcome)}`,
          action: undefined,
          restore: { state: 'undone' },
        })
        return result(outcome, null)
      }),
    fork(id, itemId) {
      const { info, transcript } = open(id)
      const items = transcript.items()
      const last = itemId === undefined ? items.at(-1) : items.find((item) => item.id === itemId)
      if (!last)
        throw new ToolError('not_found', 'That message is no longer in the conversation.', 'Reload the conversation.')
      const end = itemId === undefined ? items.length : endOf(items, last)
      const forked = copy(info, items.slice(0, end), `${info.title} (fork)`)
      return { info: forked, text: itemId !== undefined && last.kind === 'user' ? last.text : '' }
    },
  }
}

function messageAt(items: readonly ConversationItem[], itemId: string): number {
  const at = items.findIndex((item) => item.id === itemId && item.kind === 'user')
  if (at < 0)
    throw new ToolError('not_found', 'That message is no longer in the conversation.', 'Reload the conversation.')
  return at
}

/** Where a fork ends: before a message of the user's; an answer keeps its calls, and a call its answer's other ones. */
function endOf(items: readonly ConversationItem[], last: ConversationItem): number {
  if (last.kind === 'user') return items.indexOf(last)
  const answer = last.kind === 'tool' ? last.assistantId : last.id
  return (
    Math.max(
      items.indexOf(last),
      items.findLastIndex((item) => item.kind === 'tool' && item.assistantId === answer),
    ) + 1
  )
}

/** Items of a turn that may still run as they are in a copy, where it does not; notices of restores belong to the original. */
function settled(items: readonly ConversationItem[]): ConversationItem[] {
  const closed = new Map(cancelledCalls(items).map((item) => [item.id, item]))
  return items.flatMap((item) => {
    if (item.kind === 'notice' && item.restore) return []
    if (item.kind === 'assistant' && item.state === 'streaming') return [{ ...item, state: 'stopped' as const }]
    return [closed.get(item.id) ?? item]
  })
}

/** A restore that did not come to its end: what it may have half done can be taken back. */
export function stopped(notice: NoticeItem, record: RestoreRecord, why: string): NoticeItem {
  const text = `The restore did not come to its end: some files may be as they were then, others as they were before. ${why}`
  return {
    ...notice,
    level: 'warning',
    text: text.trim(),
    action: 'undoRestore',
    restore: { ...record, state: 'done' },
  }
}

function told(outcome: RestoreOutcome | undefined, conversation: boolean): string {
  if (!outcome) return 'The conversation was taken back to this point.'
  const count = outcome.written.length + outcome.removed.length
  const files =
    count === 0 ? 'No file had to be changed' : `${plural(count, 'file')} ${pluralNoun(count, 'was', 'were')} put back`
  return `${files}${conversation ? ', and the conversation was taken back to this point' : ''}.${leftAlone(outcome)}`
}

const namedAtMost = 5

function leftAlone(outcome: RestoreOutcome | undefined): string {
  if (!outcome || outcome.skipped.length === 0) return ''
  const shown = outcome.skipped.slice(0, namedAtMost).map(({ path, why }) => `\n${path}: ${why}`)
  const more = outcome.skipped.length - shown.length
  return `\nLeft as they are:${shown.join('')}${more > 0 ? `\nand ${more} more` : ''}`
}

function result(outcome: RestoreOutcome | undefined, text: string | null): RestoreResult {
  return {
    text,
    changed: outcome ? outcome.written.length + outcome.removed.length : 0,
    skipped: outcome?.skipped ?? [],
  }
}

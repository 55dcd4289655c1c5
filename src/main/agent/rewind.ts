import { randomUUID } from 'node:crypto'
import type { ConversationInfo, ConversationItem, NoticeItem } from '../../shared/conversation.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { RestorePreview, RestoreRecord, RestoreResult } from '../../shared/restore.ts'
import { plural, pluralNoun } from '../../shared/plural.ts'
import type { Checkpoint, CheckpointChange, Checkpoints, RestoreOutcome } from '../history/checkpoints/checkpoints.ts'
import type { ConversationStore } from '../history/conversations.ts'
import { cancelledCalls, noticeItem } from './items.ts'
import type { StoredTranscript } from './transcript.ts'

/** Restores files and conversation to an earlier user message, and forks. @throws ToolError `not_found` for unknown messages */
export interface Rewind {
  /** What a restore would change. Changes nothing. */
  preview(
    id: string,
    itemId: string,
    signal: AbortSignal,
  ): Promise<Pick<RestorePreview, 'checkpoint' | 'missing' | 'items'> & { changes: CheckpointChange[] }>
  /**
   * Restores the files to their state before the first change after a message, removes the message and everything after it
   * from the conversation, or both. A notice offers to undo the restore. @throws ToolError `conflict` while a turn runs
   */
  restore(
    id: string,
    itemId: string,
    what: { files: boolean; conversation: boolean },
    signal: AbortSignal,
  ): Promise<RestoreResult>
  /** Undoes the restore of a notice. @throws ToolError `conflict` if the conversation has continued since */
  undo(id: string, noticeId: string, signal: AbortSignal): Promise<RestoreResult>
  /**
   * Creates a conversation from the items up to and including this one, or from all items. A user message itself is not
   * included: its text is returned so that it can be edited.
   */
  fork(id: string, itemId?: string): { info: ConversationInfo; text: string }
  /** Whether a restore is running. No turn may start then. */
  running(): boolean
}

interface Conversation {
  readonly info: ConversationInfo
  readonly transcript: StoredTranscript
}

export interface RewindDeps {
  store: ConversationStore
  /** Checkpoints of the open folder. */
  checkpoints(): Checkpoints
  open(id: string): Conversation
  /** Opens a conversation whose files may be changed now. @throws ToolError `conflict` while a turn runs */
  idle(id: string): Conversation
  /** Deletes a conversation that is no longer needed. */
  forget(id: string): void
}

export function createRewind({ store, checkpoints, open, idle, forget }: RewindDeps): Rewind {
  let busy = false

  async function exclusive<T>(work: () => Promise<T>): Promise<T> {
    if (busy) throw new ToolError('conflict', 'Files are already being restored.', 'Wait until that has finished.')
    busy = true
    try {
      return await work()
    } finally {
      busy = false
    }
  }

  function checkpointAt(items: readonly ConversationItem[], at: number): Checkpoint | RestorePreview['missing'] {
    const message = items.slice(at).find((item) => item.kind === 'user' && item.checkpoint !== undefined)
    if (message?.kind !== 'user') return 'unchanged'
    return (
      checkpoints()
        .list()
        .find(({ id }) => id === message.checkpoint) ?? 'forgotten'
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
    store.add(info, closedItems(items))
    return info
  }

  /** The items of a conversation as it was before a restore. */
  function unchangedFork(id: string): ConversationItem[] {
    const { createdAt, updatedAt } = store.get(id)
    if (createdAt === updatedAt) return store.items(id)
    throw new ToolError(
      'conflict',
      'The earlier version of the conversation has been continued.',
      'Open it from the history.',
    )
  }

  return {
    running: () => busy,
    async preview(id, itemId, signal) {
      const { transcript } = open(id)
      const items = transcript.items()
      const at = messageAt(items, itemId)
      const checkpoint = checkpointAt(items, at)
      const rest = items.slice(at).filter(({ kind }) => kind !== 'notice').length
      if (typeof checkpoint !== 'object') return { checkpoint: null, missing: checkpoint, changes: [], items: rest }
      return {
        checkpoint: { id: checkpoint.id, at: checkpoint.at },
        changes: await checkpoints().changes(checkpoint.id, signal),
        items: rest,
      }
    },
    restore: (id, itemId, { files, conversation }, signal) =>
      exclusive(async () => {
        const { info, transcript } = idle(id)
        const items = [...transcript.items()]
        const at = messageAt(items, itemId)
        const message = items[at]
        const checkpoint = files ? checkpointAt(items, at) : undefined
        if (files && typeof checkpoint !== 'object')
          throw new ToolError(
            'not_found',
            'There is no checkpoint of the files at this message.',
            'Restore only the conversation.',
          )
        const notice = noticeItem('info', 'Files are being restored…')
        const record: RestoreRecord = { state: 'running' }
        let outcome: RestoreOutcome | undefined
        if (typeof checkpoint === 'object') {
          const began = (before: number): void => {
            record.before = before
            transcript.put({ ...notice, restore: { ...record } })
          }
          try {
            outcome = await checkpoints().restore(checkpoint.id, { began }, signal)
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
          text: restoredText(outcome, conversation),
          action: 'undoRestore',
          restore: { ...record, state: 'done' },
        })
        return result(outcome, conversation && message?.kind === 'user' ? message.text : null)
      }),
    undo: (id, noticeId, signal) =>
      exclusive(async () => {
        const { transcript } = idle(id)
        const notice = transcript.items().find((item) => item.id === noticeId)
        if (notice?.kind !== 'notice' || notice.restore?.state !== 'done')
          throw new ToolError('not_found', 'There is no restore to undo.', 'Reload the conversation.')
        const { before, fork } = notice.restore
        const old = fork === undefined ? undefined : unchangedFork(fork)
        if (old && transcript.items().at(-1)?.id !== noticeId) {
          throw new ToolError(
            'conflict',
            'The conversation has continued since the restore.',
            'The earlier version is in the history: open it there.',
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
          text: `The restore was undone.${skippedText(outcome)}`,
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

/** The end of a fork: before a user message, or after an answer with all of its calls. */
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

/** Items for a copy, in which no turn runs. Notices about restores stay with the original. */
function closedItems(items: readonly ConversationItem[]): ConversationItem[] {
  const closed = new Map(cancelledCalls(items).map((item) => [item.id, item]))
  return items.flatMap((item) => {
    if (item.kind === 'notice' && item.restore) return []
    if (item.kind === 'assistant' && item.state === 'streaming') return [{ ...item, state: 'stopped' as const }]
    return [closed.get(item.id) ?? item]
  })
}

/** The notice about a restore that did not finish. It can be undone. */
export function stopped(notice: NoticeItem, record: RestoreRecord, why: string): NoticeItem {
  const text = `The restore did not finish: some files may be restored, others not. ${why}`
  return {
    ...notice,
    level: 'warning',
    text: text.trim(),
    action: 'undoRestore',
    restore: { ...record, state: 'done' },
  }
}

function restoredText(outcome: RestoreOutcome | undefined, conversation: boolean): string {
  if (!outcome) return 'The conversation was restored to this point.'
  const count = outcome.written.length + outcome.removed.length
  const files =
    count === 0 ? 'No file had to be changed' : `${plural(count, 'file')} ${pluralNoun(count, 'was', 'were')} restored`
  return `${files}${conversation ? '. The conversation was restored to this point' : ''}.${skippedText(outcome)}`
}

const maxNamed = 5

function skippedText(outcome: RestoreOutcome | undefined): string {
  if (!outcome || outcome.skipped.length === 0) return ''
  const shown = outcome.skipped.slice(0, maxNamed).map(({ path, why }) => `\n${path}: ${why}`)
  const more = outcome.skipped.length - shown.length
  return `\nNot changed:${shown.join('')}${more > 0 ? `\nand ${more} more` : ''}`
}

function result(outcome: RestoreOutcome | undefined, text: string | null): RestoreResult {
  return {
    text,
    changed: outcome ? outcome.written.length + outcome.removed.length : 0,
    skipped: outcome?.skipped ?? [],
  }
}

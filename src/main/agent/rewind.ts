import type { ConversationInfo, ConversationItem } from '../../shared/agent/conversation.ts'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { RestorePreview, RestoreRecord, RestoreResult } from '../../shared/review/restore.ts'
import type { Checkpoint, CheckpointChange, Checkpoints, RestoreOutcome } from '../history/checkpoints/checkpoints.ts'
import type { ConversationStore } from '../history/conversations.ts'
import { forkConversation, backUpConversation } from './conversationCopies.ts'
import { noticeItem } from './conversation/items.ts'
import { finishedRestore, undoneRestore, unfinishedRestore } from './restoreNotices.ts'
import type { StoredTranscript } from './conversation/transcript.ts'

/**
 * Restores files and conversation to an earlier user message, and forks.
 * @throws ToolError `not_found` for unknown messages
 */
export interface Rewind {
  /** Returns what a restore would change. */
  preview(
    id: string,
    itemId: string,
    signal: AbortSignal,
  ): Promise<Pick<RestorePreview, 'checkpoint' | 'missing' | 'items'> & { changes: CheckpointChange[] }>
  /**
   * Restores the files to their state before the first change after a message, removes the message and everything after
   * it from the conversation, or both. A notice offers to undo the restore.
   * @throws ToolError `conflict` while a turn runs
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

interface RewindConversation {
  readonly info: ConversationInfo
  readonly transcript: StoredTranscript
}

export interface RewindDeps {
  store: ConversationStore
  /** Checkpoints of the open folder. */
  checkpoints(): Checkpoints
  open(id: string): RewindConversation
  /** Loads a conversation to change it. @throws ToolError `conflict` while a turn runs */
  openIdle(id: string): RewindConversation
  /** Deletes a conversation. */
  forget(id: string): void
}

export function createRewind(deps: RewindDeps): Rewind {
  let running = false

  async function exclusive<T>(work: () => Promise<T>): Promise<T> {
    if (running) throw new ToolError('conflict', 'Files are already being restored.', 'Wait until that has finished.')
    running = true
    try {
      return await work()
    } finally {
      running = false
    }
  }

  return {
    running: () => running,
    preview: (id, itemId, signal) => preview(deps, id, itemId, signal),
    restore: (id, itemId, what, signal) => exclusive(() => restore(deps, id, itemId, what, signal)),
    undo: (id, noticeId, signal) => exclusive(() => undoRestore(deps, id, noticeId, signal)),
    fork: (id, itemId) => fork(deps, id, itemId),
  }
}

async function preview(
  { open, checkpoints }: RewindDeps,
  id: string,
  itemId: string,
  signal: AbortSignal,
): ReturnType<Rewind['preview']> {
  const items = open(id).transcript.items()
  const at = messageAt(items, itemId)
  const checkpoint = checkpointAt(checkpoints(), items, at)
  const removed = items.slice(at).filter(({ kind }) => kind !== 'notice').length
  if (typeof checkpoint !== 'object') return { checkpoint: null, missing: checkpoint, changes: [], items: removed }
  return {
    checkpoint: { id: checkpoint.id, at: checkpoint.at },
    changes: await checkpoints().changes(checkpoint.id, signal),
    items: removed,
  }
}

async function restore(
  { store, checkpoints, openIdle }: RewindDeps,
  id: string,
  itemId: string,
  { files, conversation }: { files: boolean; conversation: boolean },
  signal: AbortSignal,
): Promise<RestoreResult> {
  const { info, transcript } = openIdle(id)
  const items = [...transcript.items()]
  const at = messageAt(items, itemId)
  const message = items[at]
  const checkpoint = files ? checkpointAt(checkpoints(), items, at) : undefined
  if (files && typeof checkpoint !== 'object')
    throw new ToolError(
      'not_found',
      'There is no checkpoint of the files for this message.',
      'Restore only the conversation.',
    )
  const notice = noticeItem('info', 'Files are being restored…')
  const record: RestoreRecord = { state: 'running' }
  let outcome: RestoreOutcome | undefined
  if (typeof checkpoint === 'object') {
    const onBegin = (before: number): void => {
      record.before = before
      transcript.put({ ...notice, restore: { ...record } })
    }
    try {
      outcome = await checkpoints().restore(checkpoint.id, { onBegin }, signal)
    } catch (error) {
      if (record.before !== undefined) transcript.put(unfinishedRestore(notice, record, toFailure(error).message))
      throw error
    }
  }
  if (conversation) {
    record.fork = backUpConversation(store, info, items, 'before restoring').id
    transcript.truncate(itemId)
  }
  transcript.put(finishedRestore(notice, record, outcome, conversation))
  return restoreResult(outcome, conversation && message?.kind === 'user' ? message.text : null)
}

async function undoRestore(
  { store, checkpoints, openIdle, forget }: RewindDeps,
  id: string,
  noticeId: string,
  signal: AbortSignal,
): Promise<RestoreResult> {
  const { transcript } = openIdle(id)
  const notice = transcript.items().find((item) => item.id === noticeId)
  if (notice?.kind !== 'notice' || notice.restore?.state !== 'done')
    throw new ToolError('not_found', 'There is no restore to undo.', 'Reload the conversation.')
  const { before, fork: forkId } = notice.restore
  const earlierItems = forkId === undefined ? undefined : unchangedItems(store, forkId)
  if (earlierItems && transcript.items().at(-1)?.id !== noticeId) {
    throw new ToolError(
      'conflict',
      'The conversation has continued since the restore.',
      'The earlier version is in the history: open it there.',
    )
  }
  const outcome = before === undefined ? undefined : await checkpoints().restore(before, {}, signal)
  if (forkId !== undefined && earlierItems) {
    transcript.truncate(noticeId)
    const present = new Set(transcript.items().map((item) => item.id))
    for (const item of earlierItems) if (!present.has(item.id)) transcript.put(item)
    forget(forkId)
  }
  transcript.put(undoneRestore(notice, outcome))
  return restoreResult(outcome, null)
}

function fork({ store, open }: RewindDeps, id: string, itemId: string | undefined): ReturnType<Rewind['fork']> {
  const { info, transcript } = open(id)
  const items = transcript.items()
  const last = itemId === undefined ? items.at(-1) : items.find((item) => item.id === itemId)
  if (!last)
    throw new ToolError('not_found', 'That message is no longer in the conversation.', 'Reload the conversation.')
  const end = itemId === undefined ? items.length : forkEnd(items, last)
  const forked = forkConversation(store, info, items.slice(0, end))
  return { info: forked, text: itemId !== undefined && last.kind === 'user' ? last.text : '' }
}

/** Returns the first checkpoint after a message, or why there is none. */
function checkpointAt(
  checkpoints: Checkpoints,
  items: readonly ConversationItem[],
  at: number,
): Checkpoint | RestorePreview['missing'] {
  const message = items.slice(at).find((item) => item.kind === 'user' && item.checkpoint !== undefined)
  if (message?.kind !== 'user') return 'unchanged'
  return checkpoints.list().find(({ id }) => id === message.checkpoint) ?? 'forgotten'
}

/** Returns the items of a copy made by a restore. @throws ToolError `conflict` if the copy was continued */
function unchangedItems(store: ConversationStore, id: string): ConversationItem[] {
  const { createdAt, updatedAt } = store.get(id)
  if (createdAt === updatedAt) return store.items(id)
  throw new ToolError(
    'conflict',
    'The earlier version of the conversation has been continued.',
    'Open it from the history.',
  )
}

/** Returns the position of a user message. @throws ToolError `not_found` */
function messageAt(items: readonly ConversationItem[], itemId: string): number {
  const at = items.findIndex((item) => item.id === itemId && item.kind === 'user')
  if (at < 0)
    throw new ToolError('not_found', 'That message is no longer in the conversation.', 'Reload the conversation.')
  return at
}

/** Returns the position at which a fork ends: before a user message, or after an answer with all of its calls. */
function forkEnd(items: readonly ConversationItem[], last: ConversationItem): number {
  if (last.kind === 'user') return items.indexOf(last)
  const answer = last.kind === 'tool' ? last.assistantId : last.id
  return (
    Math.max(
      items.indexOf(last),
      items.findLastIndex((item) => item.kind === 'tool' && item.assistantId === answer),
    ) + 1
  )
}

function restoreResult(outcome: RestoreOutcome | undefined, text: string | null): RestoreResult {
  return {
    text,
    changed: outcome ? outcome.written.length + outcome.removed.length : 0,
    skipped: outcome?.skipped ?? [],
  }
}

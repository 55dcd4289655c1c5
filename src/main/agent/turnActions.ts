import { randomUUID } from 'node:crypto'
import type { ConversationItem, MessageContent, QueuedMessage } from '../../shared/agent/conversation.ts'
import { ToolError } from '../../shared/errors.ts'
import type { ConversationStore } from '../history/conversations.ts'
import { backUpConversation } from './conversationCopies.ts'
import { noticeItem, userItem } from './conversation/items.ts'
import type { LiveConversation, LiveConversations } from './liveConversations.ts'
import { titleOf, type RunningTurns } from './runningTurns.ts'

/**
 * User actions that start, steer or stop a turn.
 * @throws ToolError from every method: `not_found` for an unknown conversation; `conflict` if a turn or restore is
 *   running, except from `send`, `stopAndSend`, `stop` and the queue
 */
export interface TurnActions {
  /**
   * Starts a turn. While one runs, here or in another process, the message is queued until it ends, or with `steer` until
   * its current calls end.
   */
  send(id: string, text: string, options?: MessageContent & { steer?: boolean }): { queued: boolean }
  /** Stops the running turn, then starts one with the message before queued ones. */
  stopAndSend(id: string, text: string, content?: MessageContent): Promise<{ queued: boolean }>
  /** @throws ToolError `not_found` if the message is no longer queued */
  changeQueued(id: string, messageId: string, change: Partial<Omit<QueuedMessage, 'id'>>): void
  unqueue(id: string, messageId: string): void
  /** Resolves when the turn has ended. */
  stop(id: string): Promise<void>
  /** Stops one running call. The turn continues with its result. @throws ToolError `not_found` if it does not run */
  stopCall(id: string, itemId: string): void
  /**
   * Removes everything after the last user message and starts a turn with that message. If that removes calls, keeps a
   * copy of the conversation.
   */
  retry(id: string): void
  /**
   * Replaces a user message and everything after it, and starts a turn. If that removes calls or later messages, keeps
   * a copy of the conversation.
   */
  resend(id: string, itemId: string, text: string, content?: MessageContent): void
  /** Starts a turn that continues the last one. */
  continue(id: string): void
  /** Summarizes the conversation to free space in the context window. Runs as a turn. */
  compact(id: string): void
}

/** @param isRestoring whether files are being restored; no turn may start then */
export function createTurnActions(
  store: ConversationStore,
  { use, saveInfo, label, status, changeQueue, queueElsewhere }: LiveConversations,
  { start, stopping }: RunningTurns,
  isRestoring: () => boolean,
): TurnActions {
  /** @throws ToolError `conflict` */
  function requireStartable(): void {
    if (stopping()) throw new ToolError('conflict', 'The folder is being closed.', 'Open it again, then try again.')
    if (isRestoring())
      throw new ToolError('conflict', 'Files are being restored.', 'Wait until that has finished, then try again.')
  }

  function useIdle(id: string): LiveConversation {
    const entry = use(id)
    if (entry.turn) throw new ToolError('conflict', 'A turn is running in this conversation.', 'Stop it first.')
    requireStartable()
    return entry
  }

  /** Removes items up to the end. If work would be lost, keeps a copy of the conversation and says so. */
  function removeFrom({ info, transcript }: LiveConversation, at: number, when: string): void {
    const items = transcript.items()
    const first = items[at]
    if (!first) return
    const isWork = items.some((item, index) => index >= at && (item.kind === 'tool' || (index > at && isMessage(item))))
    const copy = isWork ? backUpConversation(store, info, items, when) : undefined
    transcript.truncate(first.id)
    if (copy) transcript.put(noticeItem('info', `The earlier version is in the history as "${copy.title}".`))
  }

  async function stop(id: string): Promise<void> {
    const { turn } = use(id)
    turn?.controller.abort()
    await turn?.ended
  }

  const send: TurnActions['send'] = (id, text, { steer = false, ...content } = {}) => {
    const message = queuedMessage(text, content, steer)
    if (queueElsewhere(id, message)) return { queued: true }
    const entry = use(id)
    if (entry.turn) {
      entry.queue.add(message)
      status(entry)
      return { queued: true }
    }
    requireStartable()
    const isUntitled = !hasUserMessage(entry) && entry.info.title === 'New conversation'
    if (isUntitled) label(id, { title: titleOf(text) })
    saveInfo(entry, {})
    entry.transcript.record(userItem(randomUUID(), text, entry.info.mode, content))
    start(entry)
    return { queued: false }
  }

  return {
    send,
    async stopAndSend(id, text, content = {}) {
      const entry = use(id)
      if (!entry.turn) return send(id, text, content)
      const { turn, queue } = entry
      const message = queuedMessage(text, content)
      // Stored first, so that it is not lost if the turn takes long to end and the process is killed.
      queue.addFirst(message, turn.stoppedFor)
      turn.stoppedFor.push(message.id)
      status(entry)
      await stop(id)
      return { queued: queue.list().some((each) => each.id === message.id) }
    },
    changeQueued(id, messageId, change) {
      changeQueue(id, (queue) => queue.change(messageId, change))
    },
    unqueue(id, messageId) {
      changeQueue(id, (queue) => queue.remove(messageId))
    },
    stop,
    stopCall(id, itemId) {
      const call = use(id).calls.get(itemId)
      if (!call) throw new ToolError('not_found', 'This call is no longer running.', '')
      call.abort()
    },
    retry(id) {
      const entry = useIdle(id)
      const items = entry.transcript.items()
      const last = items.findLastIndex(isMessage)
      if (last < 0) throw new ToolError('not_found', 'There is no message to send again.', 'Type a message.')
      removeFrom(entry, last + 1, 'before trying again')
      start(entry)
    },
    resend(id, itemId, text, content) {
      const entry = useIdle(id)
      const at = entry.transcript.items().findIndex(({ id: each, kind }) => each === itemId && kind === 'user')
      if (at < 0)
        throw new ToolError('not_found', 'That message is no longer in the conversation.', 'Reload the conversation.')
      // Saves before removing anything, because the store may fail.
      saveInfo(entry, {})
      removeFrom(entry, at, 'before editing')
      entry.transcript.record(userItem(randomUUID(), text, entry.info.mode, content))
      start(entry)
    },
    continue(id) {
      const entry = useIdle(id)
      const last = entry.transcript.items().findLast((item) => item.kind !== 'notice')
      // Servers require a user message after an answer, but not after tool results.
      if (last?.kind === 'assistant') entry.transcript.record(userItem(randomUUID(), 'Continue.', entry.info.mode))
      start(entry)
    },
    compact: (id) => start(useIdle(id), 'compact'),
  }
}

function queuedMessage(text: string, content: MessageContent, steer = false): QueuedMessage {
  return {
    id: randomUUID(),
    text,
    ...(steer && { steer }),
    ...(content.attachments?.length && { attachments: content.attachments }),
    ...(content.serverPrompt !== undefined && { serverPrompt: content.serverPrompt }),
  }
}

/** Whether the user wrote the message, not Tizona on the user's behalf. */
const isMessage = (item: ConversationItem): boolean => item.kind === 'user' && !item.nudge

/** Whether the conversation has started. */
export function hasUserMessage({ transcript }: LiveConversation): boolean {
  return transcript.items().some((item) => item.kind === 'user')
}

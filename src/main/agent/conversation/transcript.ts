import type { AssistantItem, ConversationInfo, ConversationItem, UserItem } from '../../../shared/agent/conversation.ts'
import type { EventName, Events } from '../../../shared/bridge/protocol.ts'
import type { ToolProgress } from '../../../shared/tools/tool.ts'
import { log } from '../../base/log/log.ts'
import type { ConversationStore } from '../../history/conversations.ts'
import { Delayer } from '../../../shared/async/delayer.ts'

/** The items of a conversation, as the loop reads and writes them. */
export interface Transcript {
  items(): readonly ConversationItem[]
  /**
   * Adds an item, or replaces the one with the same id.
   * @param stored `later`: together with the next stored item, if another state follows soon. Each write delays the
   *   next request
   */
  put(item: ConversationItem, stored?: 'now' | 'later'): void
  /** Removes an item and all that follow. */
  truncate(fromItemId: string): void
  /** Appends streamed text to an answer. */
  append(item: AssistantItem, delta: AnswerDelta): void
  /** Shows the progress of a running call. Not stored. */
  progress(callId: string, progress: ToolProgress): void
  /** Shows a status beside the spinner, e.g. "Loading model…". Not stored. */
  note(text: string | undefined): void
  /** Stores pending items now. */
  flush(): void
}

/** The conversation that a turn belongs to. */
export interface TurnConversation {
  /** Read again before every call, so that the user can change the mode during a turn. */
  readonly info: ConversationInfo
  readonly transcript: Transcript
  /** The running calls by the id of their item. Aborting one stops it alone. */
  readonly calls?: Map<string, AbortController>
  takeSteered(): boolean
}

interface AnswerDelta {
  text?: string
  reasoning?: string
}

export type Emit = <N extends EventName>(name: N, payload: Events[N]) => void

/** Interval in milliseconds at which a streaming answer is stored while no sentence ends. */
const saveIntervalMs = 500

/**
 * Maximum length of an answer that is stored after each sentence, in characters. Longer ones are stored only at
 * intervals, because each write stores the whole answer.
 */
const maxSavedBySentence = 50_000

/** Whether streamed text ends a sentence or line. Saving there limits what a killed process loses to one sentence. */
function endsSentence({ text = '', reasoning = '' }: AnswerDelta): boolean {
  return /[.!?。！？\n]/u.test(text) || reasoning.includes('\n')
}

/** A transcript that writes every change to the store and sends it to the windows. */
export interface StoredTranscript extends Transcript {
  /** Adds a user message. @throws if it cannot be stored. The transcript is then unchanged */
  record(item: UserItem): void
}

/** Creates the transcript of a sub-agent, which is neither stored nor shown. */
export function createMemoryTranscript(items: ConversationItem[]): Transcript {
  return {
    items: () => items,
    put: (item) => void putItem(items, item),
    truncate(fromItemId) {
      const index = items.findIndex(({ id }) => id === fromItemId)
      if (index >= 0) items.splice(index)
    },
    append: appendText,
    progress: () => undefined,
    note: () => undefined,
    flush: () => undefined,
  }
}

/** @returns whether the item is new */
function putItem(items: ConversationItem[], item: ConversationItem): boolean {
  // A streaming item is at the end.
  const index = items.findLastIndex(({ id }) => id === item.id)
  if (index < 0) items.push(item)
  else items[index] = item
  return index < 0
}

function appendText(item: AssistantItem, { text = '', reasoning = '' }: AnswerDelta): void {
  item.text += text
  item.reasoning += reasoning
}

export function createStoredTranscript(
  conversationId: string,
  store: ConversationStore,
  emit: Emit,
  onNote: (note: string | undefined) => void,
): StoredTranscript {
  let items: ConversationItem[] = store.items(conversationId)
  /** Items that are not stored yet, by id, in the order of their first change. */
  const unsaved = new Map<string, ConversationItem>()

  function flush(): void {
    flushLater.cancel()
    if (unsaved.size === 0) return
    store.saveItems(conversationId, [...unsaved.values()])
    unsaved.clear()
  }

  const flushLater = new Delayer(() => {
    try {
      flush()
    } catch (error) {
      // Only logged, because a timer has no caller. The turn's next write will fail the same way.
      log.error('A streamed answer could not be stored yet', error)
    }
  }, saveIntervalMs)

  return {
    items: () => items,
    put(item, stored = 'now') {
      const isNew = putItem(items, item)
      unsaved.set(item.id, item)
      try {
        if (stored === 'now') flush()
        else flushLater.start()
      } catch (error) {
        // The caller reports the failure for this item. The others are retried.
        unsaved.delete(item.id)
        throw error
      } finally {
        // Shows the item even if it cannot be stored.
        emit('conversation.item', { conversationId, item, isNew })
      }
    },
    record(item) {
      flush()
      store.saveItem(conversationId, item)
      items.push(item)
      emit('conversation.item', { conversationId, item, isNew: true })
    },
    append(item, delta) {
      appendText(item, delta)
      unsaved.set(item.id, item)
      emit('conversation.delta', { conversationId, itemId: item.id, ...delta })
      if (endsSentence(delta) && item.text.length + item.reasoning.length < maxSavedBySentence) flush()
      else flushLater.start()
    },
    progress: (callId, progress) => emit('tool.progress', { callId, progress }),
    note: onNote,
    truncate(fromItemId) {
      const index = items.findIndex((item) => item.id === fromItemId)
      if (index < 0) return
      flush()
      store.truncate(conversationId, fromItemId)
      items = items.slice(0, index)
      emit('conversation.truncated', { conversationId, fromItemId })
    },
    flush,
  }
}

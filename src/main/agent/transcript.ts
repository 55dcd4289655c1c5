import type { AssistantItem, ConversationItem, UserItem } from '../../shared/conversation.ts'
import type { EventName, Events } from '../../shared/protocol.ts'
import type { ConversationStore } from '../history/conversations.ts'
import type { Transcript } from './loop.ts'
import { log } from '../base/log/log.ts'

export type Emit = <N extends EventName>(name: N, payload: Events[N]) => void

/** A streaming answer is written to disk at most this often between two ends of sentences. */
const saveEveryMs = 500

/** Characters. A longer answer is written by time alone, because each time all of it is. */
const savedBySentence = 50_000

/** Whether a delta brought a sentence, or a line, to its end: a killed process then loses no more than the one under way. */
function endsSentence({ text = '', reasoning = '' }: { text?: string; reasoning?: string }): boolean {
  return /[.!?。！？\n]/u.test(text) || reasoning.includes('\n')
}

export interface LiveTranscript extends Transcript {
  /** Adds what a person wrote. Where it cannot be stored nothing changes, so that it can be given back to them. Throws. */
  record(item: UserItem): void
  /** Removes an item and all that follow. */
  truncate(fromItemId: string): void
  /** Writes what a pending timer would. */
  flush(): void
}

/** A conversation's items in memory while it is in use: every change goes to the store and to the window. */
export function createTranscript(
  conversationId: string,
  store: ConversationStore,
  emit: Emit,
  onNote: (note: string | undefined) => void,
): LiveTranscript {
  let items: ConversationItem[] = store.items(conversationId)
  let timer: NodeJS.Timeout | undefined
  let unsaved: AssistantItem | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (unsaved) store.saveItem(conversationId, unsaved)
    unsaved = undefined
  }

  function flushLater(): void {
    timer ??= setTimeout(() => {
      try {
        flush()
      } catch (error) {
        // A timer has nobody to tell. The text waits on, and the next write meets the same failure where the turn hears of it.
        log.error('A streamed answer could not be stored yet', error)
      }
    }, saveEveryMs)
  }

  return {
    items: () => items,
    put(item) {
      // A streaming item is looked for from the end, where it is.
      const index = items.findLastIndex((candidate) => candidate.id === item.id)
      if (index < 0) items.push(item)
      else items[index] = item
      if (unsaved?.id === item.id) unsaved = undefined
      try {
        store.saveItem(conversationId, item)
      } finally {
        // What happened is shown even where it cannot be kept.
        emit('conversation.item', { conversationId, item })
      }
    },
    record(item) {
      store.saveItem(conversationId, item)
      items.push(item)
      emit('conversation.item', { conversationId, item })
    },
    append(item, delta) {
      item.text += delta.text ?? ''
      item.reasoning += delta.reasoning ?? ''
      unsaved = item
      emit('conversation.delta', { conversationId, itemId: item.id, ...delta })
      if (endsSentence(delta) && item.text.length + item.reasoning.length < savedBySentence) flush()
      else flushLater()
    },
    progress: (callId, progress) => emit('tool.progress', { callId, progress }),
    note: onNote,
    truncate(fromItemId) {
      const index = items.findIndex((item) => item.id === fromItemId)
      if (index < 0) return
      store.truncate(conversationId, fromItemId)
      items = items.slice(0, index)
      emit('conversation.truncated', { conversationId, fromItemId })
    },
    flush,
  }
}

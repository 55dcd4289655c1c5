import type { InlineEditParams, InlineEditProgress, InlineEditResult } from '../../shared/agent/inlineEdit.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { useChat } from '../platform/conversation/chatStore.ts'

type OnProgress = (progress: InlineEditProgress) => void

const listeners = new Map<string, OnProgress>()
let following = false
let nextId = 1
// Distinguishes the ids of this page from those of the page before a reload.
const page = Math.random().toString(36).slice(2)

export interface RunningEdit {
  result: Promise<InlineEditResult>
  /** Closes the connection to the model server. */
  cancel(): void
}

/** Requests an edit from the model of the open conversation. */
export function runInlineEdit(
  params: Omit<InlineEditParams, 'id' | 'conversationId'>,
  onProgress: OnProgress,
): RunningEdit {
  if (!following) on('inlineEdit.progress', ({ id, progress }) => listeners.get(id)?.(progress))
  following = true
  const id = `${page}-${nextId++}`
  listeners.set(id, onProgress)
  const result = request('inlineEdit.run', { ...params, id, conversationId: useChat.getState().info?.id }).finally(() =>
    listeners.delete(id),
  )
  return {
    result,
    cancel() {
      listeners.delete(id)
      // A lost connection ends the request as well.
      request('inlineEdit.cancel', { id }).catch(() => undefined)
    },
  }
}

import type { AssistantItem, ToolItem, UserItem } from '../../../../shared/agent/conversation.ts'
import type { ToolView } from '../../../../shared/tools/tool.ts'

// Creates conversation items for tests.

export const user = (id: string, text: string): UserItem => ({ id, kind: 'user', at: 1, text, mode: 'safe' })

export const assistant = (id: string, text: string): AssistantItem => ({
  id,
  kind: 'assistant',
  at: 2,
  text,
  reasoning: '',
  state: 'done',
})

export function toolCall(
  id: string,
  name: string,
  text: string,
  view: ToolView = { kind: 'text' },
  more: Partial<ToolItem> = {},
): ToolItem {
  return {
    id,
    kind: 'tool',
    at: 1000,
    endedAt: 1010,
    assistantId: `of-${id}`,
    callId: `call-${id}`,
    name,
    arguments: '{}',
    state: 'done',
    result: { ok: true, text, view, elapsedMs: 10, arguments: {}, truncated: false },
    ...more,
  }
}

export const readOf = (id: string, path: string, text: string, more: Partial<ToolItem> = {}): ToolItem =>
  toolCall(id, 'read_file', text, { kind: 'file', path, startLine: 1, endLine: 9, totalLines: 9, unsaved: false }, more)

export const editOf = (id: string, path: string, more: Partial<ToolItem> = {}): ToolItem =>
  toolCall(
    id,
    'edit_file',
    'ok',
    { kind: 'diff', files: [{ path, change: 'modified', diff: '', added: 1, removed: 1 }] },
    more,
  )

export function failedCall(id: string, name: string, text: string): ToolItem {
  const item = toolCall(id, name, text)
  return { ...item, state: 'failed', ...(item.result && { result: { ...item.result, ok: false } }) }
}

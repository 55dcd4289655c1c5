import { randomUUID } from 'node:crypto'
import type { Attachment } from '../../shared/attachments.ts'
import type { ContextUse } from '../../shared/contextUse.ts'
import type { AssistantItem, ConversationItem, NoticeItem, ToolItem, UserItem } from '../../shared/conversation.ts'
import type { Mode } from '../../shared/risk.ts'
import type { ToolResult } from '../../shared/tool.ts'
import type { ModelCall } from '../model/clients/modelClient.ts'

/** A message of the user. @param mode the conversation's current mode */
export function userItem(id: string, text: string, mode: Mode, attachments: readonly Attachment[] = []): UserItem {
  return {
    id,
    kind: 'user',
    at: Date.now(),
    text,
    mode,
    ...(attachments.length > 0 && { attachments: [...attachments] }),
  }
}

/** A message that Tizona sends to the model in the user's place. */
export function nudgeItem(text: string): UserItem {
  return { id: randomUUID(), kind: 'user', at: Date.now(), text, nudge: true }
}

/** An empty answer of the model that is about to be streamed. @param context size of the request it answers */
export function assistantItem(model: string, context: ContextUse | undefined): AssistantItem {
  return {
    id: randomUUID(),
    kind: 'assistant',
    at: Date.now(),
    text: '',
    reasoning: '',
    state: 'streaming',
    model,
    ...(context && { context }),
  }
}

/** A tool call of an answer, before it runs. */
export function toolItem(assistant: AssistantItem, call: ModelCall): ToolItem {
  return {
    id: randomUUID(),
    kind: 'tool',
    at: Date.now(),
    assistantId: assistant.id,
    callId: call.id,
    name: call.name,
    arguments: call.arguments,
    state: 'streaming',
  }
}

/** A notice from Tizona to the user. The model does not see it. */
export function noticeItem(level: NoticeItem['level'], text: string, action?: NoticeItem['action']): NoticeItem {
  return { id: randomUUID(), kind: 'notice', at: Date.now(), level, text, action }
}

/** The final state of a call's card. */
export function endState({ ok, error }: ToolResult): ToolItem['state'] {
  if (ok) return 'done'
  switch (error?.code) {
    case 'cancelled':
      return 'cancelled'
    case 'refused':
    case 'approval_required':
    case 'not_in_plan_mode':
      return 'refused'
    default:
      return 'failed'
  }
}

/** Cancelled versions of all calls that have not ended. A stopped turn must not leave cards that look as if they still run. */
export function cancelledCalls(items: readonly ConversationItem[]): ToolItem[] {
  return items.flatMap((item) =>
    item.kind === 'tool' && (item.state === 'streaming' || item.state === 'running' || item.state === 'approval')
      ? [{ ...item, state: 'cancelled' as const, approval: undefined }]
      : [],
  )
}

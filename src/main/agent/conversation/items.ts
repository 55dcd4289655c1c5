import { plural } from '../../../shared/text/plural.ts'
import { randomUUID } from 'node:crypto'
import type { ContextUse } from '../../../shared/agent/contextUse.ts'
import type {
  AssistantItem,
  ConversationItem,
  MessageContent,
  NoticeItem,
  ToolItem,
  UserItem,
  SummaryItem,
} from '../../../shared/agent/conversation.ts'
import type { Mode } from '../../../shared/tools/risk.ts'
import type { ToolResult } from '../../../shared/tools/tool.ts'
import type { ModelCall, ChatMessage } from '../../model/modelClient.ts'

/** Creates a user message. @param mode the conversation's current mode */
export function userItem(id: string, text: string, mode: Mode, content: MessageContent = {}): UserItem {
  const { attachments = [], serverPrompt } = content
  return {
    id,
    kind: 'user',
    at: Date.now(),
    text,
    mode,
    ...(attachments.length > 0 && { attachments: [...attachments] }),
    ...(serverPrompt !== undefined && { serverPrompt }),
  }
}

/** Creates a message that Tizona sends to the model in the role of the user. */
export function nudgeItem(text: string): UserItem {
  return { id: randomUUID(), kind: 'user', at: Date.now(), text, nudge: true }
}

/** Creates an empty answer, to which the stream is appended. @param context size of the request */
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

/** Creates the card of a call that is being streamed. */
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

/** Creates a notice for the user. It is not sent to the model. */
export function noticeItem(level: NoticeItem['level'], text: string, action?: NoticeItem['action']): NoticeItem {
  return { id: randomUUID(), kind: 'notice', at: Date.now(), level, text, action }
}

/** Returns the final state of a call's card. */
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

/** Returns the calls that have not ended, as cancelled. After a stopped turn, no card may look as if it still runs. */
export function cancelledCalls(items: readonly ConversationItem[]): ToolItem[] {
  return items.flatMap((item) =>
    item.kind === 'tool' && (item.state === 'streaming' || item.state === 'running' || item.state === 'approval')
      ? [{ ...item, state: 'cancelled' as const, approval: undefined }]
      : [],
  )
}

/** A message of a request, with the conversation item that it was created from. */
export interface SourcedMessage {
  message: ChatMessage
  item?: UserItem | AssistantItem | ToolItem | SummaryItem
}

/** Texts of the notices that the loop shows. */
export const loopNotices = {
  turnLimit: (requests: number) =>
    `Stopped after ${plural(requests, 'request')} in one turn (the limit in the settings).`,
  repeatedOnce:
    'The model repeated itself, so its answer was stopped and shortened. Requesting it again with settings that reduce repetition.',
  repeatedAgain:
    'The model repeated itself again, so the turn was ended. Try another model, or a shorter or more precise message.',
  truncated: "The answer was truncated at the model's output limit or at the end of its context window.",
}

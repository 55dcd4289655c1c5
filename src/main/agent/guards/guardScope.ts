import type { ConversationItem, ToolItem } from '../../../shared/agent/conversation.ts'

/** Returns the items since the last user message or "Continue". Guards consider only these. */
export function sinceUserMessage(items: readonly ConversationItem[]): readonly ConversationItem[] {
  return items.slice(
    items.findLastIndex(
      (item) => (item.kind === 'user' && !item.nudge) || (item.kind === 'notice' && item.action === 'continue'),
    ) + 1,
  )
}

/** A call with a result. */
export type EndedCall = ToolItem & { result: NonNullable<ToolItem['result']> }

export function endedCalls(items: readonly ConversationItem[]): EndedCall[] {
  return items.filter((item): item is EndedCall => item.kind === 'tool' && item.result !== undefined)
}

import type { ConversationItem, ToolItem } from '../../../shared/conversation.ts'

/** What the model did since the user last said something, or told it to go on: guards count from there. */
export function sinceUserSpoke(items: readonly ConversationItem[]): readonly ConversationItem[] {
  return items.slice(
    items.findLastIndex(
      (item) => (item.kind === 'user' && !item.nudge) || (item.kind === 'notice' && item.action === 'continue'),
    ) + 1,
  )
}

/** A call that has its result. */
export type EndedCall = ToolItem & { result: NonNullable<ToolItem['result']> }

export function endedCalls(items: readonly ConversationItem[]): EndedCall[] {
  return items.filter((item): item is EndedCall => item.kind === 'tool' && item.result !== undefined)
}

import { usedTokens, type ContextUse } from '../../../shared/contextUse.ts'
import type { AssistantItem, SummaryItem } from '../../../shared/conversation.ts'
import type { ChatState } from '../../platform/conversation/chatStore.ts'

/** Current use of the context window: the last request, scaled to the server's token count, and its answer. */
export interface ContextFill extends ContextUse {
  /** Tokens available to the next request. */
  left: number
  /** Used share of the usable window, from 0 to 1. */
  share: number
  /** The window is nearly full. */
  tight: boolean
}

/** A reported count below this share of our estimate belongs to a truncated prompt or leaves out cached tokens. */
const minCredibleShare = 0.6

/** @returns undefined before the first request */
export function contextFill({ order, items }: Pick<ChatState, 'order' | 'items'>): ContextFill | undefined {
  let summary: SummaryItem | undefined
  let asked: AssistantItem | undefined
  for (let at = order.length - 1; at >= 0 && !asked; at -= 1) {
    const item = items[order[at] ?? '']
    if (item?.kind === 'summary') summary ??= item
    if (item?.kind === 'assistant' && item.context) asked = item
  }
  if (!asked?.context) return undefined
  if (summary && asked.state !== 'streaming') return fill(afterSummary(asked.context, summary.tokensAfter))
  const { usage } = asked
  const counted = usedTokens(asked.context)
  const reported =
    usage && !usage.estimated && usage.promptTokens > counted * minCredibleShare ? usage.promptTokens : counted
  const scale = counted === 0 ? 1 : reported / counted
  const { system, tools, files, conversation } = asked.context
  return fill({
    ...asked.context,
    system: Math.round(system * scale),
    tools: Math.round(tools * scale),
    files: Math.round(files * scale),
    conversation: Math.round(conversation * scale) + (usage?.completionTokens ?? 0),
    exact: asked.context.exact || (usage !== undefined && !usage.estimated),
  })
}

function afterSummary(context: ContextUse, tokens: number): ContextUse {
  return { ...context, files: 0, conversation: Math.max(0, tokens - context.system - context.tools) }
}

function fill(context: ContextUse): ContextFill {
  const room = context.window - context.answer
  const used = usedTokens(context)
  return { ...context, left: Math.max(0, room - used), share: Math.min(1, used / room), tight: used > room * 0.92 }
}

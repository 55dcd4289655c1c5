import { usedTokens, type ContextUse } from '../../../shared/agent/contextUse.ts'
import type { AssistantItem, SummaryItem } from '../../../shared/agent/conversation.ts'
import type { ChatState } from '../../platform/conversation/chatStore.ts'

/** Estimated use of the context window: the last request, scaled to the server's token count, plus its answer. */
export interface ContextFill extends ContextUse {
  /** Number of tokens left for the next request. */
  available: number
  /** Used share of the usable window, from 0 to 1. */
  share: number
  /** Whether more than 92% of the usable window is used. */
  nearlyFull: boolean
}

/**
 * Reported counts below this share of the estimate are ignored, because the server truncated the prompt or omits cached
 * tokens.
 */
const minCredibleShare = 0.6

/** Computes the context use of a conversation. @returns undefined before the first request */
export function contextFill({ order, items }: Pick<ChatState, 'order' | 'items'>): ContextFill | undefined {
  let summary: SummaryItem | undefined
  let lastAnswer: AssistantItem | undefined
  for (let at = order.length - 1; at >= 0 && !lastAnswer; at -= 1) {
    const item = items[order[at] ?? '']
    if (item?.kind === 'summary') summary ??= item
    if (item?.kind === 'assistant' && item.context) lastAnswer = item
  }
  if (!lastAnswer?.context) return undefined
  if (summary && lastAnswer.state !== 'streaming') return fill(afterSummary(lastAnswer.context, summary.tokensAfter))
  const { usage } = lastAnswer
  const estimated = usedTokens(lastAnswer.context)
  const reported =
    usage && !usage.estimated && usage.promptTokens > estimated * minCredibleShare ? usage.promptTokens : estimated
  const scale = estimated === 0 ? 1 : reported / estimated
  const { system, tools, files, conversation } = lastAnswer.context
  return fill({
    ...lastAnswer.context,
    system: Math.round(system * scale),
    tools: Math.round(tools * scale),
    files: Math.round(files * scale),
    conversation: Math.round(conversation * scale) + (usage?.completionTokens ?? 0),
    exact: lastAnswer.context.exact || (usage !== undefined && !usage.estimated),
  })
}

function afterSummary(context: ContextUse, tokens: number): ContextUse {
  return { ...context, files: 0, conversation: Math.max(0, tokens - context.system - context.tools) }
}

function fill(context: ContextUse): ContextFill {
  const room = context.window - context.answer
  const used = usedTokens(context)
  return {
    ...context,
    available: Math.max(0, room - used),
    share: Math.min(1, used / room),
    nearlyFull: used > room * 0.92,
  }
}

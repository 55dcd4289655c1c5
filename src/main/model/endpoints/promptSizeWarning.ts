import { firstTurnReserve } from '../../../shared/agent/contextAllocation.ts'
import type { Endpoint } from '../../../shared/settings/settings.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { ChatTool } from '../modelClient.ts'
import { contextWindowHint, type HintTarget } from '../transport/errorHints.ts'
import { estimateTokens, toolsText } from '../tokens/usage.ts'

export interface PromptSizeInput {
  endpoint: Pick<Endpoint, 'kind'>
  target: HintTarget
  /** Tokens. No warning if undefined. */
  contextWindow: number | undefined
  system: string
  tools: readonly ChatTool[]
  message: string
}

/**
 * Returns a warning if the system prompt, tools and first message leave too little of the model's context, with a hint
 * for its server. Token counts are estimates (tokens/usage.ts).
 */
export function promptSizeWarning({
  endpoint,
  target,
  contextWindow,
  system,
  tools,
  message,
}: PromptSizeInput): string | undefined {
  if (contextWindow === undefined || endpoint.kind === 'tour') return undefined
  const forTools = estimateTokens(toolsText(tools))
  const needed = estimateTokens(system) + forTools + estimateTokens(message)
  if (needed + firstTurnReserve <= contextWindow) return undefined
  const consequence =
    needed > contextWindow
      ? 'They do not fit, and the server may truncate them silently.'
      : 'This leaves too little room for the conversation.'
  return (
    `Instructions, tools and message take about ${plural(needed, 'token')} (tools: ${formatNumber(forTools)}) of the model's context size of ` +
    `${formatNumber(contextWindow)}. ${consequence} ${contextWindowHint(target)}`
  )
}

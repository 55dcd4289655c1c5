import { firstTurnReserve } from '../../../shared/contextAllocation.ts'
import type { Endpoint } from '../../../shared/settings.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import type { ChatTool } from '../clients/modelClient.ts'
import { contextWindowHint } from '../transport/errorHints.ts'
import { estimateTokens } from '../tokens/usage.ts'

export interface PromptSizeInput {
  endpoint: Pick<Endpoint, 'kind' | 'baseUrl'>
  /** Tokens; unknown windows are not warned about. */
  contextWindow: number | undefined
  system: string
  tools: readonly ChatTool[]
  message: string
}

/**
 * A warning when system prompt, tools and first message leave no room in the model's window, with the remedy of that
 * server. Tokens are estimated at 3.5 characters each (usage.ts).
 */
export function promptSizeWarning({
  endpoint,
  contextWindow,
  system,
  tools,
  message,
}: PromptSizeInput): string | undefined {
  if (contextWindow === undefined || endpoint.kind === 'tour') return undefined
  const forTools = tools.length > 0 ? estimateTokens(JSON.stringify(tools)) : 0
  const needed = estimateTokens(system) + forTools + estimateTokens(message)
  if (needed + firstTurnReserve <= contextWindow) return undefined
  const consequence =
    needed > contextWindow ? 'they do not fit, and the server may cut them off silently' : 'little is left for the work'
  const kind = endpoint.kind === 'ollama' ? 'ollama' : 'openai'
  return (
    `Instructions, tools and message take about ${plural(needed, 'token')} (tools: ${formatNumber(forTools)}) of the model's window of ` +
    `${formatNumber(contextWindow)}: ${consequence}. ${contextWindowHint({ kind, baseUrl: endpoint.baseUrl })}`
  )
}

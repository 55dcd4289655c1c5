import type { ModelChoice } from '../agent/conversation.ts'
import type { EndpointStatus } from '../settings/settings.ts'

/**
 * Returns the default model of new conversations if the settings name none: the first endpoint's, preferably loaded and
 * with native tool calls; undefined if no endpoint has a usable one. Never returns the tour's model.
 */
export function firstUsableModel(statuses: readonly EndpointStatus[]): ModelChoice | undefined {
  // A model without native tool calls writes them as text.
  for (const withText of [false, true])
    for (const { endpoint, models } of statuses) {
      if (endpoint.kind === 'tour') continue
      const usable = models.filter((model) => withText || model.tools !== false)
      const best = usable.find((model) => model.loaded) ?? usable[0]
      if (best) return { endpointId: endpoint.id, model: best.id }
    }
  return undefined
}

/** Explains why no model is selected, and what to do: no server, servers without a model, or no choice. */
export function noModelReason(statuses: readonly EndpointStatus[]): { message: string; next: string } {
  const running = statuses.filter(({ endpoint, reachable }) => endpoint.kind !== 'tour' && reachable)
  const [first] = running
  if (!first)
    return {
      message: 'No model server was found.',
      next: 'Start one (Ollama, LM Studio, llama.cpp, vLLM), or enter its address in the settings.',
    }
  if (firstUsableModel(statuses)) return { message: 'No model is chosen.', next: 'Choose one in the chat panel.' }
  return {
    message: `${first.endpoint.name} is running, but has no model for conversations.`,
    next: first.problem ?? 'Start it with a chat model, or add one to it.',
  }
}

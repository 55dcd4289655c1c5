import type { ModelChoice } from '../agent/conversation.ts'
import type { EndpointStatus } from '../settings/settings.ts'

/**
 * Returns the model of new conversations if none is chosen in the settings: the first endpoint's, preferably with native
 * tool calls and loaded; undefined if no endpoint has a usable one. The tour's model is never returned.
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

/** Returns why no model is selected, and what to do: no server, servers without a model, or a choice that is missing. */
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

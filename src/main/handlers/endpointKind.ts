import type { Endpoint } from '../../shared/settings.ts'
import { ModelError } from '../model/clients/modelClient.ts'
import { detectKind } from '../model/endpoints/discovery.ts'

/**
 * Detects the API of a server. Ollama's OpenAI-compatible API truncates long prompts silently, so its native API is preferred.
 * Returns `openai` if the server does not answer; the turn then reports the failure.
 * @throws AbortError
 */
export async function endpointKind(baseUrl: string, signal: AbortSignal): Promise<Endpoint['kind']> {
  try {
    return await detectKind(baseUrl, signal)
  } catch (error) {
    if (error instanceof ModelError) return 'openai'
    throw error
  }
}

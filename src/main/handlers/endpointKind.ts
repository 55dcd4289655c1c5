import type { Endpoint } from '../../shared/settings.ts'
import { ModelError } from '../model/clients/modelClient.ts'
import { detectKind } from '../model/endpoints/discovery.ts'

/**
 * Which protocol an address wants that came without one: an Ollama asked as another server cuts long prompts without a word.
 * `openai` when the server does not answer; the turn will meet the same failure, and has the words for it.
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

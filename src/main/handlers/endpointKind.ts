import type { Endpoint } from '../../shared/settings/settings.ts'
import { ModelError } from '../model/modelClient.ts'
import { detectKind } from '../model/endpoints/discovery.ts'

/**
 * Detects a server's API. Prefers Ollama's native API, because its OpenAI-compatible API silently truncates long
 * prompts. Returns `openai` if the server does not respond, so that the turn reports the failure.
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

// Hosts may import handlers, but no services.
export { serverRoot } from '../model/transport/localServers.ts'
export { modelName } from '../model/file/modelFileParts.ts'

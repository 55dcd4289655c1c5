import { ollamaWindow } from '../../../shared/agent/contextAllocation.ts'
import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import type { Endpoint } from '../../../shared/settings/settings.ts'
import { endpointRoot } from '../clients/clientOptions.ts'
import { ModelError } from '../modelClient.ts'
import { keepAliveField, optionsOf } from '../clients/modelOptions.ts'
import { embedAtServer, toVector } from '../embeddings/serverEmbeddings.ts'
import type { ModelFiles } from '../file/modelFiles.ts'
import { connectionOptions, requestTarget, type EndpointAccess } from './endpointClient.ts'
import type { ServerAccess } from '../transport/serverAccess.ts'
import type { Endpoints } from './endpointsTypes.ts'

interface DirectRequestsDeps {
  /** @throws ModelError */
  existing(endpointId: string): Endpoint
  withAccess(endpoint: Endpoint): EndpointAccess
  /** Returns the context size of requests to a model; undefined if it is unknown. */
  contextSizeOf(endpoint: Endpoint, model: string): number | undefined
  modelFiles: ModelFiles
  /** Aborts the requests. */
  closed: AbortSignal
}

/** Requests that do not need a chat client. */
export function createDirectRequests({
  existing,
  withAccess,
  contextSizeOf,
  modelFiles,
  closed,
}: DirectRequestsDeps): Pick<Endpoints, 'access' | 'suggestionAccess' | 'embed'> {
  async function access({ endpointId, model }: ModelChoice): Promise<ServerAccess> {
    const endpoint = existing(endpointId)
    if (endpoint.kind === 'gguf') throw notForSuggestions(endpoint)
    return serverAccess(withAccess(endpoint), model)
  }
  return {
    access,
    async suggestionAccess(choice) {
      const { endpointId, model } = choice
      const endpoint = existing(endpointId)
      if (endpoint.kind !== 'ollama') return access(choice)
      // Suggestions do not wait for a query. Requests to a model that was not listed have the same default.
      const contextWindow = contextSizeOf(endpoint, model) ?? ollamaWindow
      return {
        ...(await access(choice)),
        loading: { contextWindow, keepAlive: keepAliveField(optionsOf(endpoint, model)) },
      }
    },
    async embed({ endpointId, model }, texts, given) {
      const endpoint = existing(endpointId)
      const signal = AbortSignal.any([given, closed])
      if (endpoint.kind !== 'gguf') return embedAtServer(await serverAccess(withAccess(endpoint), model), texts, signal)
      return (await modelFiles.embed(endpoint, texts, signal)).map((vector) => toVector(vector, endpoint))
    },
  }
}

function notForSuggestions({ name }: Endpoint): ModelError {
  return new ModelError(
    'bad_request',
    `${name} is a model file, which inline suggestions cannot use.`,
    'Select a model on a server for inline suggestions.',
  )
}

/** @throws ModelError */
async function serverAccess(access: EndpointAccess, model: string): Promise<ServerAccess> {
  const { endpoint } = access
  const target = requestTarget(endpoint, model)
  const connection = await connectionOptions(access)
  return { root: endpointRoot(endpoint.baseUrl, target), connection, target }
}

import { ToolError } from '../../../shared/errors.ts'
import type { Endpoint, EndpointStatus } from '../../../shared/settings/settings.ts'
import { trustedCertificates } from '../transport/trustedCertificates.ts'
import { ModelError, type ModelClient } from '../modelClient.ts'
import { requestHeaders, type Credentials } from './endpointCredentials.ts'
import { modelsProblem } from './discovery.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'
import type { ConnectionOptions } from '../transport/http.ts'
import type { RequestRelay } from '../transport/requestRelay.ts'
import { listOllama, type Listing } from '../clients/modelListing.ts'
import { listOpenAi } from '../clients/openAiListing.ts'
import { findModel, optionsOf, withOptions } from '../clients/modelOptions.ts'
import { createOllamaClient } from '../clients/ollamaClient.ts'
import { endpointRoot, type ClientOptions } from '../clients/clientOptions.ts'
import { createOpenAiClient } from '../clients/openAiClient.ts'
import type { Timeouts } from '../transport/busyServerRetries.ts'
import { serverByName, serverName, likelyServer } from '../transport/localServers.ts'
import { createServerTokenizer } from '../tokens/serverTokenizer.ts'

/**
 * An endpoint and how to read its credentials. They are read for each request, so that a changed key takes effect at
 * once.
 */
export interface EndpointAccess {
  endpoint: Endpoint
  credentials(): Promise<Credentials>
  /** Sends the requests from another machine, with the credentials that are stored there. */
  relay?: RequestRelay
}

/** Time limit for probing the tokenizer, so that it does not delay the list of models. Milliseconds. */
const tokenizerProbeMs = 2000

/** Shown for an Ollama server that is set up as an OpenAI-compatible endpoint. */
const ollamaThroughV1 =
  'This server is Ollama. Set the API of this endpoint to Ollama: through /v1, the context size is ignored and long prompts are truncated silently.'

/**
 * Returns the headers and TLS trust for an endpoint.
 * @throws ModelError if the certificate file cannot be used
 */
export async function connectionOptions({ endpoint, credentials, relay }: EndpointAccess): Promise<ConnectionOptions> {
  if (relay) return { relay }
  const headers = requestHeaders(await credentials().catch(rethrowAsModelError))
  // Reads certificate authorities only if TLS is used.
  return /^https:/i.test(endpoint.baseUrl.trim())
    ? { headers, secureContext: await trustedCertificates(endpoint.caFile) }
    : { headers }
}

/** Reports a key that cannot be read as an error of the endpoint. */
function rethrowAsModelError(error: unknown): never {
  if (error instanceof ToolError) throw new ModelError('unauthorised', error.message, error.next, { cause: error })
  throw error
}

/** Returns what error messages name. The tour has the API of an OpenAI-compatible server and counts as one. */
export function requestTarget({ kind, name, baseUrl }: Endpoint, model?: string): RequestTarget {
  return { name, kind: kind === 'tour' ? 'openai' : kind, baseUrl, ...(model !== undefined && { model }) }
}

/** Same as `requestTarget`, with what the server of the endpoint reports. @param status the last known one */
export function knownTarget(endpoint: Endpoint, model: string, status: EndpointStatus | undefined): RequestTarget {
  return {
    ...requestTarget(endpoint, model),
    server: serverByName(status?.server),
    slots: status?.slots,
    info: findModel(status?.models ?? [], model),
    configuredWindow: optionsOf(endpoint, model).contextWindow ?? endpoint.contextWindow,
  }
}

/**
 * Creates the client of an endpoint.
 * @param timeouts overrides the timeouts in the endpoint's settings
 */
export function createEndpointClient(
  access: EndpointAccess,
  timeouts: Partial<Timeouts> = {},
  options: Pick<
    ClientOptions,
    'features' | 'compatStore' | 'textPrompt' | 'server' | 'slots' | 'infoOf' | 'onGone'
  > = {},
): ModelClient {
  const { endpoint } = access
  const create = endpoint.kind === 'ollama' ? createOllamaClient : createOpenAiClient
  return create({
    name: endpoint.name,
    baseUrl: endpoint.baseUrl,
    ...(endpoint.contextWindow && { contextWindow: endpoint.contextWindow }),
    timeouts: { ...configuredTimeouts(endpoint), ...timeouts },
    connection: () => connectionOptions(access),
    optionsOf: (model) => optionsOf(endpoint, model),
    ...options,
  })
}

/**
 * Same as `probeEndpoint`, and finds out whether the server counts tokens. That takes up to two more requests, so it is
 * done only when the user tests an endpoint. @throws AbortError
 */
export async function testEndpoint(access: EndpointAccess, signal: AbortSignal): Promise<EndpointStatus> {
  if (access.endpoint.kind !== 'openai') return probeEndpoint(access, signal)
  const [status, countsTokens] = await Promise.all([probeEndpoint(access, signal), hasTokenizer(access, signal)])
  return { ...status, countsTokens }
}

/** Requests an endpoint's models and features. Returns a failure in `problem`. @throws AbortError */
export async function probeEndpoint(access: EndpointAccess, signal: AbortSignal): Promise<EndpointStatus> {
  const { endpoint } = access
  try {
    const connection = await connectionOptions(access)
    const listing = await listModels(endpoint, connection, signal)
    const models = listing.models.map((model) => withOptions(model, endpoint))
    const server = listing.server ?? likelyServer(endpoint)
    const problem =
      modelsProblem(server, { ...listing, models }) ??
      (endpoint.kind === 'openai' && listing.server === 'ollama' ? ollamaThroughV1 : undefined)
    return {
      endpoint,
      reachable: true,
      models,
      discovered: false,
      ...(listing.server && { server: serverName(listing.server) }),
      ...(listing.slots && { slots: listing.slots }),
      ...(listing.embeddingModels && { embeddingModels: listing.embeddingModels }),
      ...(listing.baseModels && { baseModels: listing.baseModels }),
      ...(problem && { problem }),
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const reachable = error.code !== 'unreachable' && error.code !== 'timeout'
    return { endpoint, reachable, models: [], discovered: false, problem: `${error.message} ${error.hint}`.trim() }
  }
}

function listModels(endpoint: Endpoint, connection: ConnectionOptions, signal: AbortSignal): Promise<Listing> {
  const target = requestTarget(endpoint)
  const { contextWindow: window } = endpoint
  const request = {
    root: endpointRoot(endpoint.baseUrl, target),
    connection,
    target,
    signal,
    ...(window && { window }),
  }
  return endpoint.kind === 'ollama' ? listOllama(request) : listOpenAi(request)
}

/** Whether the server has a tokenizer; `false` if it cannot be reached. */
async function hasTokenizer(access: EndpointAccess, signal: AbortSignal): Promise<boolean> {
  const { endpoint } = access
  const target = requestTarget(endpoint)
  const tokenize = createServerTokenizer(
    { root: endpointRoot(endpoint.baseUrl, target), target, connection: () => connectionOptions(access) },
    '',
  )
  try {
    return (
      (await tokenize('How many tokens is this?', AbortSignal.any([signal, AbortSignal.timeout(tokenizerProbeMs)]))) !==
      undefined
    )
  } catch (error) {
    if (signal.aborted) throw error
    // The list of models reports why a server cannot be reached.
    return false
  }
}

/** Converts the timeouts in the settings, which are in seconds. */
function configuredTimeouts({ patience: timeouts = {} }: Endpoint): Partial<Timeouts> {
  const { answer, piece, loading } = timeouts
  return {
    ...(answer && { headersMs: answer * 1000 }),
    ...(piece && { chunkMs: piece * 1000 }),
    ...(loading && { loadingMs: loading * 1000 }),
  }
}

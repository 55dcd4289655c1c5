import { ToolError } from '../../../shared/errors.ts'
import type { Endpoint, EndpointStatus } from '../../../shared/settings.ts'
import { trustedCertificates } from '../transport/trustedCertificates.ts'
import { ModelError, type ModelClient } from '../clients/modelClient.ts'
import { requestHeaders, type Credentials } from './credentials.ts'
import { modelsProblem } from './discovery.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'
import type { ConnectionOptions } from '../transport/http.ts'
import { listOllama, type Listing } from './modelListing.ts'
import { listOpenAi } from './openAiListing.ts'
import { optionsOf, withOptions } from '../clients/modelOptions.ts'
import { createOllamaClient } from '../clients/ollamaClient.ts'
import type { ClientOptions } from '../clients/clientOptions.ts'
import { createOpenAiClient, endpointRoot } from '../clients/openAiClient.ts'
import type { Timeouts } from '../transport/openStream.ts'
import { serverName, likelyServer } from './knownServers.ts'
import { createServerTokenizer } from '../tokens/serverTokenizer.ts'

/** An endpoint with what opens its door; asked anew for each request, so that a changed key counts at once. */
export interface EndpointAccess {
  endpoint: Endpoint
  credentials(): Promise<Credentials>
}

/** A question about counting may not hold up the list of models. Milliseconds. */
const countingMs = 2000

/** Said of an Ollama that is asked as another server. */
const throughV1 =
  'This is Ollama: choose it under “Speaks”. Asked as another server it ignores the context window and cuts long prompts silently.'

/** @throws ModelError when its certificate file cannot be used */
export async function connectionOptions({ endpoint, credentials }: EndpointAccess): Promise<ConnectionOptions> {
  const headers = requestHeaders(await credentials().catch(unreadable))
  // No authorities are needed, or read, where no TLS is spoken.
  return /^https:/i.test(endpoint.baseUrl.trim())
    ? { headers, secureContext: await trustedCertificates(endpoint.caFile) }
    : { headers }
}

/** A key that cannot be read here is a failure of the endpoint, and is told as one. */
function unreadable(error: unknown): never {
  if (error instanceof ToolError) throw new ModelError('unauthorised', error.message, error.next, { cause: error })
  throw error
}

/** The tour speaks as an OpenAI-compatible server does. */
export function requestTarget({ kind, name, baseUrl }: Endpoint, model?: string): RequestTarget {
  return { name, kind: kind === 'ollama' ? 'ollama' : 'openai', baseUrl, ...(model !== undefined && { model }) }
}

/** @param timeouts laid over what the endpoint's settings say */
export function createEndpointClient(
  access: EndpointAccess,
  timeouts: Partial<Timeouts> = {},
  adapter: Pick<ClientOptions, 'features' | 'compatStore' | 'textPrompt'> = {},
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
    ...adapter,
  })
}

/** What an endpoint answers when it is asked what it is and has. A failure is part of the answer. @throws AbortError */
export async function probeEndpoint(access: EndpointAccess, signal: AbortSignal): Promise<EndpointStatus> {
  const { endpoint } = access
  try {
    const connection = await connectionOptions(access)
    const [listing, countsTokens] = await Promise.all([
      list(endpoint, connection, signal),
      counts(endpoint, connection, signal),
    ])
    const models = listing.models.map((model) => withOptions(model, endpoint))
    const server = listing.server ?? likelyServer(endpoint)
    const problem =
      modelsProblem(server, models) ??
      (endpoint.kind === 'openai' && listing.server === 'ollama' ? throughV1 : undefined)
    return {
      endpoint,
      reachable: true,
      models,
      discovered: false,
      ...(listing.server && { server: serverName(listing.server) }),
      ...(endpoint.kind === 'openai' && { countsTokens }),
      ...(problem && { problem }),
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const reachable = error.code !== 'unreachable' && error.code !== 'timeout'
    return { endpoint, reachable, models: [], discovered: false, problem: `${error.message} ${error.hint}`.trim() }
  }
}

function list(endpoint: Endpoint, connection: ConnectionOptions, signal: AbortSignal): Promise<Listing> {
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

/** Whether the server has a tokenizer; `false` also where the question fails, for then it is of no use. */
async function counts(endpoint: Endpoint, connection: ConnectionOptions, signal: AbortSignal): Promise<boolean> {
  if (endpoint.kind !== 'openai') return false
  const target = requestTarget(endpoint)
  const tokenize = createServerTokenizer(
    { root: endpointRoot(endpoint.baseUrl, target), target, connection: () => Promise.resolve(connection) },
    '',
  )
  try {
    return (
      (await tokenize('How long is this?', AbortSignal.any([signal, AbortSignal.timeout(countingMs)]))) !== undefined
    )
  } catch (error) {
    if (signal.aborted) throw error
    // Whether it is down, refuses the key or is slow is told by the list of models.
    return false
  }
}

/** The settings speak of seconds. */
function configuredTimeouts({ patience: timeouts = {} }: Endpoint): Partial<Timeouts> {
  const { answer, piece, loading } = timeouts
  return {
    ...(answer && { headersMs: answer * 1000 }),
    ...(piece && { chunkMs: piece * 1000 }),
    ...(loading && { loadingMs: loading * 1000 }),
  }
}

import { ToolError } from '../../../shared/errors.ts'
import type { Endpoint, EndpointStatus } from '../../../shared/settings.ts'
import { trustedAuthorities } from '../transport/authorities.ts'
import { ModelError, type ModelClient } from '../clients/modelClient.ts'
import { requestHeaders, type Credentials } from './credentials.ts'
import { modelsProblem } from './discovery.ts'
import type { Where } from '../transport/modelErrors.ts'
import type { Access } from '../transport/http.ts'
import { listOllama, type Listing } from './modelListing.ts'
import { listOpenAi } from './openAiListing.ts'
import { optionsOf, withOptions } from '../clients/modelOptions.ts'
import { createOllamaClient } from '../clients/ollamaClient.ts'
import { createOpenAiClient, rootOf, type ClientOptions } from '../clients/openAiClient.ts'
import type { Patience } from '../transport/openStream.ts'
import { nameOfServer, serverAt } from './knownServers.ts'
import { createServerTokenizer } from '../tokens/serverTokenizer.ts'

/** An endpoint with what opens its door; asked anew for each request, so that a changed key counts at once. */
export interface Reach {
  endpoint: Endpoint
  credentials(): Promise<Credentials>
}

/** A question about counting may not hold up the list of models. Milliseconds. */
const countingMs = 2000

/** Said of an Ollama that is asked as another server. */
const throughV1 =
  'This is Ollama: choose it under “Speaks”. Asked as another server it ignores the context window and cuts long prompts silently.'

/** @throws ModelError when its certificate file cannot be used */
export async function accessTo({ endpoint, credentials }: Reach): Promise<Access> {
  const headers = requestHeaders(await credentials().catch(unreadable))
  // No authorities are needed, or read, where no TLS is spoken.
  return /^https:/i.test(endpoint.baseUrl.trim())
    ? { headers, secureContext: await trustedAuthorities(endpoint.caFile) }
    : { headers }
}

/** A key that cannot be read here is a failure of the endpoint, and is told as one. */
function unreadable(error: unknown): never {
  if (error instanceof ToolError) throw new ModelError('unauthorised', error.message, error.next, { cause: error })
  throw error
}

/** The tour speaks as an OpenAI-compatible server does. */
export function whereOf({ kind, name, baseUrl }: Endpoint, model?: string): Where {
  return { name, kind: kind === 'ollama' ? 'ollama' : 'openai', baseUrl, ...(model !== undefined && { model }) }
}

/** @param patience laid over what the endpoint's settings say */
export function clientOf(
  reach: Reach,
  patience: Partial<Patience> = {},
  ways: Pick<ClientOptions, 'abilities' | 'forms' | 'textPrompt'> = {},
): ModelClient {
  const { endpoint } = reach
  const create = endpoint.kind === 'ollama' ? createOllamaClient : createOpenAiClient
  return create({
    name: endpoint.name,
    baseUrl: endpoint.baseUrl,
    ...(endpoint.contextWindow && { contextWindow: endpoint.contextWindow }),
    patience: { ...patienceOf(endpoint), ...patience },
    access: () => accessTo(reach),
    optionsOf: (model) => optionsOf(endpoint, model),
    ...ways,
  })
}

/** What an endpoint answers when it is asked what it is and has. A failure is part of the answer. @throws AbortError */
export async function askEndpoint(reach: Reach, signal: AbortSignal): Promise<EndpointStatus> {
  const { endpoint } = reach
  try {
    const access = await accessTo(reach)
    const [listing, countsTokens] = await Promise.all([
      list(endpoint, access, signal),
      counts(endpoint, access, signal),
    ])
    const models = listing.models.map((model) => withOptions(model, endpoint))
    const server = listing.server ?? serverAt(endpoint)
    const problem =
      modelsProblem(server, models) ??
      (endpoint.kind === 'openai' && listing.server === 'ollama' ? throughV1 : undefined)
    return {
      endpoint,
      reachable: true,
      models,
      discovered: false,
      ...(listing.server && { server: nameOfServer(listing.server) }),
      ...(endpoint.kind === 'openai' && { countsTokens }),
      ...(problem && { problem }),
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const reachable = error.code !== 'unreachable' && error.code !== 'timeout'
    return { endpoint, reachable, models: [], discovered: false, problem: `${error.message} ${error.remedy}`.trim() }
  }
}

function list(endpoint: Endpoint, access: Access, signal: AbortSignal): Promise<Listing> {
  const where = whereOf(endpoint)
  const { contextWindow: window } = endpoint
  const request = { root: rootOf(endpoint.baseUrl, where), access, where, signal, ...(window && { window }) }
  return endpoint.kind === 'ollama' ? listOllama(request) : listOpenAi(request)
}

/** Whether the server has a tokenizer; `false` also where the question fails, for then it is of no use. */
async function counts(endpoint: Endpoint, access: Access, signal: AbortSignal): Promise<boolean> {
  if (endpoint.kind !== 'openai') return false
  const where = whereOf(endpoint)
  const tokenize = createServerTokenizer(
    { root: rootOf(endpoint.baseUrl, where), where, access: () => Promise.resolve(access) },
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
function patienceOf({ patience = {} }: Endpoint): Partial<Patience> {
  const { answer, piece, loading } = patience
  return {
    ...(answer && { headersMs: answer * 1000 }),
    ...(piece && { chunkMs: piece * 1000 }),
    ...(loading && { loadingMs: loading * 1000 }),
  }
}

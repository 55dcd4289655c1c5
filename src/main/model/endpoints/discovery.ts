import { connect } from 'node:net'
import type { EndpointStatus } from '../../../shared/settings/settings.ts'
import { ModelError } from '../modelClient.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'
import { isKobold, isOllama, listOllama, type Listing, type ListRequest } from '../clients/modelListing.ts'
import { listOpenAi } from '../clients/openAiListing.ts'
import { localServers, serverName, serverRoot, type LocalServer } from '../transport/localServers.ts'

/** A local port and the server expected there. */
export interface DiscoveryPort {
  server: LocalServer
  name: string
  port: number
}

export interface DiscoveryOptions {
  ports?: readonly DiscoveryPort[]
  /** Read for `OLLAMA_HOST`. */
  env?: Readonly<Record<string, string | undefined>>
  /** Total time limit in milliseconds. Default 500. */
  budgetMs?: number
}

/** Prefix of the ids of discovered endpoints; the port follows. */
const idPrefix = 'local-'
/** Servers that may require a key even for listing models. On other ports, an unrelated program sent a 401 response. */
const mayRequireKey: readonly LocalServer[] = ['jan', 'lmstudio', 'vllm', 'sglang']

/**
 * Discovers model servers on the usual ports of 127.0.0.1, in parallel, by the responses that identify each known
 * server. Finishes within `budgetMs` and omits details that take longer.
 * @throws AbortError
 */
export async function discover(options: DiscoveryOptions, signal: AbortSignal): Promise<EndpointStatus[]> {
  const deadline = AbortSignal.timeout(options.budgetMs ?? 500)
  const detailsUntil = AbortSignal.any([signal, AbortSignal.timeout((options.budgetMs ?? 500) * 0.8)])
  const ports = withOllamaHost(options.ports ?? localServers, options.env?.['OLLAMA_HOST'])
  const found = await Promise.all(ports.map((port) => probe(port, AbortSignal.any([signal, deadline]), detailsUntil)))
  signal.throwIfAborted()
  return found.filter((status) => status !== undefined)
}

/** Time limit for connecting to a local port, in milliseconds. */
const connectMs = 300

/**
 * Returns the ports of `discover` on which a server listens. Sends nothing, so it is cheap to repeat.
 * @throws AbortError
 */
export async function findOpenPorts(options: DiscoveryOptions, signal: AbortSignal): Promise<number[]> {
  const ports = withOllamaHost(options.ports ?? localServers, options.env?.['OLLAMA_HOST'])
  const open = await Promise.all(ports.map(async ({ port }) => ((await isListening(port, signal)) ? [port] : [])))
  signal.throwIfAborted()
  return open.flat()
}

function isListening(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, signal, timeout: connectMs })
    const end = (open: boolean) => {
      socket.destroy()
      resolve(open)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}

/** Returns the endpoint for an id from `discover`, even if its server is stopped; undefined for other ids. */
export function discoveredEndpoint(
  id: string,
  ports: readonly DiscoveryPort[] = localServers,
): EndpointStatus['endpoint'] | undefined {
  const port = id.startsWith(idPrefix) ? Number(id.slice(idPrefix.length)) : NaN
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  const known = ports.find((candidate) => candidate.port === port)
  return endpointAt(port, known?.server, known?.name ?? `Port ${port}`)
}

async function probe(
  at: DiscoveryPort,
  signal: AbortSignal,
  detailsUntil: AbortSignal,
): Promise<EndpointStatus | undefined> {
  const request = (kind: RequestTarget['kind']) => {
    const root = `http://127.0.0.1:${at.port}`
    return { root, target: { name: at.name, kind, baseUrl: root }, signal, detailsUntil }
  }
  const asOllama = async (): Promise<Listing> => {
    if (!(await isOllama(request('ollama')))) throw new ModelError('bad_response', 'Not Ollama.', '')
    return listOllama(request('ollama'))
  }
  const [ollama, openAi] = await Promise.allSettled([asOllama(), listOpenAi(request('openai'))])
  const other = openAi.status === 'fulfilled' ? openAi.value : undefined
  // KoboldCpp emulates Ollama too, but without context sizes.
  const listing = ollama.status === 'fulfilled' && other?.server !== 'koboldcpp' ? ollama.value : other
  if (listing) {
    const server = listing.server ?? at.server
    const name = localServers.find((known) => known.server === server)?.name ?? at.name
    return status(
      endpointAt(at.port, listing.server ?? notOllama(at.server), name),
      listing,
      modelsProblem(server, listing),
    )
  }
  const error: unknown = openAi.status === 'rejected' ? openAi.reason : undefined
  const alive =
    error instanceof ModelError &&
    (error.code === 'loading' || (error.code === 'unauthorised' && mayRequireKey.includes(at.server)))
  return alive
    ? status(endpointAt(at.port, notOllama(at.server), at.name), { models: [] }, `${error.message} ${error.hint}`)
    : undefined
}

/**
 * Detects the API of an address: `ollama` if Ollama responds, otherwise `openai`.
 * @throws ModelError `unreachable`, `timeout`; TypeError if the address is invalid; AbortError
 */
export async function detectKind(baseUrl: string, signal: AbortSignal): Promise<'ollama' | 'openai'> {
  const root = serverRoot({ kind: 'ollama', baseUrl })
  try {
    const request: ListRequest = { root, target: { name: 'The server', kind: 'ollama', baseUrl }, signal }
    return (await isOllama(request)) && !(await isKobold(request)) ? 'ollama' : 'openai'
  } catch (error) {
    if (error instanceof ModelError && error.code !== 'unreachable' && error.code !== 'timeout') return 'openai'
    throw error
  }
}

export const baseModelText = (model: string): string =>
  `${model} is a base model without a chat template: it continues text but does not answer messages.`
export const baseModelHint = 'Use it for code completion, and choose a chat or instruct model for conversations.'

/** Returns what to do about an unusable list of models; undefined if it is usable. */
export function modelsProblem(
  server: LocalServer | undefined,
  { models, embeddingModels = [], baseModels = [] }: Pick<Listing, 'models' | 'embeddingModels' | 'baseModels'>,
): string | undefined {
  if (models.length === 0) {
    if (baseModels[0] !== undefined) return `${baseModelText(baseModels[0])} ${baseModelHint}`
    if (embeddingModels.length > 0) return undefined
    switch (server) {
      case 'ollama':
        return 'Ollama has no models yet. Run `ollama pull qwen3` (or another model that supports tools), then refresh.'
      case 'lmstudio':
        return 'LM Studio has no models yet. Download one there, then refresh.'
      case 'jan':
        return 'Jan has no models yet. Download one there, then refresh.'
      default:
        return 'The server lists no models. Start it with one, then refresh.'
    }
  }
  return undefined
}

/**
 * Adds the port in `OLLAMA_HOST` if it is on this machine. Ollama accepts `host`, `host:port`, `:port` and URLs there.
 */
function withOllamaHost(ports: readonly DiscoveryPort[], value: string | undefined): DiscoveryPort[] {
  const typed = value?.trim()
  if (!typed) return [...ports]
  const text = /^[a-z]+:\/\//i.test(typed) ? typed : `http://${typed.startsWith(':') ? `127.0.0.1${typed}` : typed}`
  if (!URL.canParse(text)) return [...ports]
  const url = new URL(text)
  const loopback = /^(localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/i.test(url.hostname)
  // Ollama uses the scheme's default port for a URL without a port, but users mean Ollama's own.
  const port = url.port ? Number(url.port) : 11_434
  if (!loopback || ports.some((known) => known.port === port)) return [...ports]
  return [...ports, { server: 'ollama', name: 'Ollama', port }]
}

function notOllama(server: LocalServer): LocalServer | undefined {
  return server === 'ollama' ? undefined : server
}

function endpointAt(port: number, server: LocalServer | undefined, name: string): EndpointStatus['endpoint'] {
  return {
    id: `${idPrefix}${port}`,
    name,
    kind: server === 'ollama' ? 'ollama' : 'openai',
    baseUrl: `http://127.0.0.1:${port}`,
    hasKey: false,
  }
}

function status(
  endpoint: EndpointStatus['endpoint'],
  { models, embeddingModels, baseModels, server, slots }: Listing,
  problem?: string,
): EndpointStatus {
  return {
    endpoint,
    reachable: true,
    models,
    discovered: true,
    ...(server && { server: serverName(server) }),
    ...(slots && { slots }),
    ...(embeddingModels && { embeddingModels }),
    ...(baseModels && { baseModels }),
    ...(problem && { problem }),
  }
}

import { ollamaWindow } from '../../../shared/agent/contextAllocation.ts'
import { parametersInName } from '../../../shared/models/modelName.ts'
import type { ModelInfo } from '../../../shared/settings/settings.ts'
import { ModelError } from '../modelClient.ts'
import { isChatModel, isEmbeddingModel } from './chatModels.ts'
import { isRecord, looksLikeHtml, notModelServer, serverFailed, type RequestTarget } from '../transport/modelErrors.ts'
import { readText, sendRequest, type ConnectionOptions } from '../transport/http.ts'
import { parseServerJson } from '../transport/serverJson.ts'
import type { LocalServer } from '../transport/localServers.ts'

export interface ListRequest {
  /** The base URL from `serverRoot`. */
  root: string
  connection?: ConnectionOptions
  target: RequestTarget
  signal: AbortSignal
  /** Ollama: the context size set by the user, in tokens. */
  window?: number
  /** Aborts requests for optional details, which are then omitted (discovery has 500 ms). Default: `signal`. */
  detailsUntil?: AbortSignal
}

export interface Listing {
  models: ModelInfo[]
  /** Ids of the models that compute embeddings. */
  embeddingModels?: string[]
  /** Ids of base models, which have no chat template. */
  baseModels?: string[]
  /** The server, as identified by its responses. */
  server?: LocalServer
  /** Number of slots of llama-server. */
  slots?: number
}

/** In milliseconds. Short, because servers list models without running them. */
const listTimeouts = { connectMs: 3000, headersMs: 10_000, chunkMs: 10_000 }
/** Maximum number of installed models to list with details. */
const maxDetailedModels = 64

/** Ollama renders newer models without a template. Reasoning models then get their reasoning back. */
function reasoningOf(template: unknown, capabilities: unknown[] | undefined): Pick<ModelInfo, 'reasoning'> {
  if (typeof template === 'string' && template.includes('.Messages'))
    return { reasoning: template.includes('.Thinking') ? 'turn' : 'none' }
  return capabilities?.includes('thinking') ? { reasoning: 'turn' } : {}
}

/**
 * Lists Ollama's models with their capabilities. `contextWindow` is the size that requests will use, not the model's
 * maximum: the user's setting, otherwise 16,384 or the size that the model is loaded with, up to the model's maximum.
 * @throws ModelError, AbortError
 */
export async function listOllama(request: ListRequest): Promise<Listing> {
  const [tags, running] = await Promise.all([getJson(request, '/api/tags'), getOptionalJson(request, '/api/ps')])
  const names = recordsIn(tags, 'models')?.flatMap((entry) => nameIn(entry['name'] ?? entry['model']))
  if (!names)
    throw notModelServer(request.target, (server) => `${server} sent JSON that is not Ollama's list of models.`)
  const loaded = new Map(
    (recordsIn(running, 'models') ?? []).map((entry) => [
      String(entry['name'] ?? entry['model']),
      entry['context_length'],
    ]),
  )
  const embeddingModels: string[] = []
  const baseModels: string[] = []
  const models = await Promise.all(
    names.map(async (id, position): Promise<ModelInfo | undefined> => {
      const details =
        position < maxDetailedModels ? await getOptionalJson(request, '/api/show', { model: id }) : undefined
      const known = isRecord(details) ? details : {}
      const capabilities = Array.isArray(known['capabilities']) ? known['capabilities'] : undefined
      // Older versions of Ollama do not report capabilities.
      if (capabilities ? !capabilities.includes('completion') : !isChatModel(id)) {
        if (isEmbeddingModel(id, { capabilities })) embeddingModels.push(id)
        return undefined
      }
      if (isBaseModel(known, capabilities)) {
        baseModels.push(id)
        return undefined
      }
      const inMemory = tokenCount(loaded.get(id))
      const requested = request.window ?? Math.max(ollamaWindow, inMemory ?? 0)
      const trainedWindow = ollamaMaximum(known)
      return {
        id,
        contextWindow: Math.min(requested, trainedWindow ?? requested),
        ...(trainedWindow !== undefined && { trainedWindow }),
        ...(capabilities && { tools: capabilities.includes('tools'), vision: capabilities.includes('vision') }),
        ...reasoningOf(known['template'], capabilities),
        ...parametersOf(known['details']),
        loaded: loaded.has(id),
        ...(inMemory !== undefined && { loadedWindow: inMemory }),
      }
    }),
  )
  return {
    server: 'ollama',
    models: models.filter((model) => model !== undefined),
    ...(embeddingModels.length > 0 && { embeddingModels: embeddingModels.toSorted() }),
    ...(baseModels.length > 0 && { baseModels: baseModels.toSorted() }),
  }
}

/** Whether the server is KoboldCpp, which emulates Ollama without context sizes. @throws AbortError */
export async function isKobold(request: ListRequest): Promise<boolean> {
  const version = await getOptionalJson(request, '/api/extra/version')
  return isRecord(version) && version['result'] === 'KoboldCpp'
}

/** Whether the server is Ollama or emulates it. @throws ModelError, AbortError */
export async function isOllama(request: ListRequest): Promise<boolean> {
  const version = await getJson(request, '/api/version')
  return isRecord(version) && typeof version['version'] === 'string' && isRecord(await getJson(request, '/api/tags'))
}

/** Returns the context length that the model was trained for. Its key starts with the architecture's name. */
function ollamaMaximum(details: Record<string, unknown>): number | undefined {
  const info = isRecord(details['model_info']) ? details['model_info'] : {}
  const key = Object.keys(info).find((name) => name.endsWith('.context_length'))
  return key ? tokenCount(info[key]) : undefined
}

/** Whether Ollama passes text on unchanged: it has no template for the model, and the file contains none. */
function isBaseModel(details: Record<string, unknown>, capabilities: readonly unknown[] | undefined): boolean {
  const { template, renderer, model_info: info } = details
  const isPlain = typeof template === 'string' && /^\{\{-? ?\.Prompt ?-?\}\}$/.test(template.trim())
  const hasOwn = isRecord(info) && typeof info['tokenizer.chat_template'] === 'string'
  const onlyCompletes = capabilities?.every((each) => each === 'completion' || each === 'insert') === true
  return isPlain && !renderer && !hasOwn && onlyCompletes
}

/** Reads Ollama's `parameter_size`, e.g. "134.52M". */
function parametersOf(details: unknown): { parameters?: number } {
  const parameters = isRecord(details) ? parametersInName(String(details['parameter_size'])) : undefined
  return parameters === undefined ? {} : { parameters }
}

/** Requests optional details. @returns undefined if the server does not support the path or takes too long */
export async function getOptionalJson(request: ListRequest, path: string, body?: object): Promise<unknown> {
  const signal = request.detailsUntil ? AbortSignal.any([request.signal, request.detailsUntil]) : request.signal
  try {
    return await getJson({ ...request, signal }, path, body)
  } catch (error) {
    if (request.signal.aborted) throw error
    if (error instanceof ModelError || request.detailsUntil?.aborted) return undefined
    throw error
  }
}

/** Requests JSON, with POST if there is a body. @throws ModelError, AbortError */
export async function getJson(request: ListRequest, path: string, body?: object): Promise<unknown> {
  const { target, signal, connection } = request
  const answer = await sendRequest({
    method: body === undefined ? 'GET' : 'POST',
    url: `${request.root}${path}`,
    connection,
    body,
    signal,
    timeouts: listTimeouts,
    target,
  })
  const text = await readText(answer, target)
  if (answer.status < 200 || answer.status >= 300) throw serverFailed(answer.status, text, target)
  try {
    return parseServerJson(text)
  } catch {
    throw notModelServer(target, (server) =>
      looksLikeHtml(text) ? `${server} sent an HTML page.` : `${server} sent data that is not JSON.`,
    )
  }
}

/** Returns the name of a model in a list; an empty list if it cannot be requested. */
function nameIn(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? [value] : []
}

/** Returns the objects in a list field; undefined if there is no list. */
export function recordsIn(value: unknown, field: string): Record<string, unknown>[] | undefined {
  const list = isRecord(value) ? value[field] : undefined
  return Array.isArray(list) ? list.filter(isRecord) : undefined
}

/** A larger count is a server error. */
const maxCount = 1e8

/** Returns the value if it is a plausible positive integer; otherwise undefined. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= maxCount ? value : undefined
}

import { existsSync } from 'node:fs'
import path from 'node:path'
import { ollamaWindow } from '../../../shared/agent/contextAllocation.ts'
import type { Endpoint, EndpointStatus } from '../../../shared/settings/settings.ts'
import { defaultFork, type ForkProcess } from '../../base/childProcess.ts'
import { createAnswerReader } from '../clients/answerReader.ts'
import type { ClientOptions } from '../clients/clientOptions.ts'
import { ModelError, type ChatRequest, type ModelClient, type ModelEvent } from '../modelClient.ts'
import { optionsOf, templateVariables, withOptions } from '../clients/modelOptions.ts'
import { readRefusal } from '../clients/refusal.ts'
import { createRequestAdapter } from '../clients/refusalAdapter.ts'
import type { Tokenize } from '../tokens/serverTokenizer.ts'
import type { RequestTarget } from '../transport/modelErrors.ts'
import { defaultTimeouts } from '../transport/busyServerRetries.ts'
import { withWaitingNotes } from '../transport/waitingNotes.ts'
import { callGrammars, schemaGrammars } from './answerGrammar.ts'
import { readGgufHeader } from './ggufHeader.ts'
import { createModelFileConnection, ModelFileError, type ModelFileConnection } from './modelFileConnection.ts'
import { missingPackage, type ModelFileChat, type TemplateMessage } from './modelFileMessages.ts'
import { checkFirstPart, modelName, modelSize } from './modelFileParts.ts'

/** Context size of embedding models in tokens, up to what the model was trained with. Passages are shorter. */
const embeddingContext = 2048

export interface ModelFilesDeps {
  fork?: ForkProcess | undefined
  /** Whether node-llama-cpp is installed. */
  isInstalled?: () => boolean
  /** Memory limit in bytes that replaces the free memory. For tests. */
  freeMemory?: number
  /** Folder in which processes keep the prompts of conversations. Default: prompts are evaluated again. */
  stateFolder?: string
  /** Time limit for a process to confirm a cancellation, in milliseconds. For tests. */
  cancelMs?: number
}

/** Endpoints that are .gguf files on this machine. Each runs in its own process from its first request on. */
export interface ModelFiles {
  /** Reads the metadata of a file, without loading it. A problem is in the status. */
  probe(endpoint: Endpoint): Promise<EndpointStatus>
  client(endpoint: Endpoint, options: Pick<ClientOptions, 'features' | 'compatStore' | 'textPrompt'>): ModelClient
  tokenizer(endpoint: Endpoint): Tokenize
  /** Returns a vector per text, in the order of the texts. @throws ModelError, AbortError */
  embed(endpoint: Endpoint, texts: readonly string[], signal: AbortSignal): Promise<number[][]>
  /** Ends the processes of files that none of these endpoints uses. */
  keepOnly(endpoints: readonly Endpoint[]): void
}

/** @param closed ends all processes when it aborts */
export function createModelFiles(
  closed: AbortSignal,
  { fork = defaultFork, isInstalled = isPackageInstalled, freeMemory, stateFolder, cancelMs }: ModelFilesDeps = {},
): ModelFiles {
  const connections = new Map<string, ModelFileConnection>()
  closed.addEventListener('abort', () => {
    for (const connection of connections.values()) connection.close()
  })

  /** Returns the connection to a file. A different context size needs a new process. */
  async function connect(endpoint: Endpoint, wanted: 'chat' | 'embed'): Promise<ModelFileConnection> {
    if (!isInstalled()) throw new ModelError('no_model', missingPackage.message, missingPackage.hint)
    const file = endpoint.baseUrl
    checkFirstPart(file)
    const { purpose, contextLength, isBase } = await readGgufHeader(file)
    if (purpose !== wanted) throw otherPurpose(modelName(file), wanted)
    if (purpose === 'chat' && isBase) throw baseModelFile(modelName(file))
    const contextSize =
      purpose === 'chat'
        ? contextSizeOf(endpoint, contextLength)
        : Math.min(embeddingContext, contextLength ?? Infinity)
    const known = connections.get(file)
    if (known?.options.contextSize === contextSize) return known
    known?.close()
    const options = { file, contextSize, gpu: true, ...(freeMemory !== undefined && { freeMemory }) }
    const created = createModelFileConnection(options, { fork, stateFolder, cancelMs })
    connections.set(file, created)
    return created
  }

  return {
    async probe(endpoint) {
      const status = { endpoint, discovered: false, server: 'llama.cpp in Tizona', countsTokens: true }
      try {
        if (!isInstalled()) throw new ModelError('no_model', missingPackage.message, missingPackage.hint)
        checkFirstPart(endpoint.baseUrl)
        const { contextLength, purpose, parameters, isBase } = await readGgufHeader(endpoint.baseUrl)
        await modelSize(endpoint.baseUrl)
        const id = modelName(endpoint.baseUrl)
        if (purpose === 'embed') return { ...status, reachable: true, models: [], embeddingModels: [id] }
        if (purpose === 'rank') throw otherPurpose(id, 'chat')
        if (isBase) {
          const { message, hint } = baseModelFile(id)
          return { ...status, reachable: true, models: [], problem: `${message} ${hint}` }
        }
        const model = {
          id,
          contextWindow: contextSizeOf(endpoint, contextLength),
          tools: true,
          vision: false,
          loaded: connections.get(endpoint.baseUrl)?.isLoaded === true,
          ...(parameters !== undefined && { parameters }),
        }
        return {
          ...status,
          reachable: true,
          models: [{ ...withOptions(model, endpoint), contextWindow: model.contextWindow }],
        }
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        return { ...status, reachable: false, models: [], problem: `${error.message} ${error.hint}` }
      }
    },
    client: (endpoint, options) => createClient(endpoint, options, () => connect(endpoint, 'chat')),
    tokenizer: (endpoint) => async (text, signal) => (await connect(endpoint, 'chat')).count(text, signal),
    embed: async (endpoint, texts, signal) => (await connect(endpoint, 'embed')).embed(texts, signal),
    keepOnly(endpoints) {
      for (const [file, connection] of connections) {
        if (endpoints.some(({ kind, baseUrl }) => kind === 'gguf' && baseUrl === file)) continue
        connection.close()
        connections.delete(file)
      }
    },
  }
}

function otherPurpose(name: string, wanted: 'chat' | 'embed'): ModelError {
  return wanted === 'chat'
    ? new ModelError(
        'bad_request',
        `${name} cannot generate text: it is an embedding model or a reranker.`,
        'Select another model.',
      )
    : new ModelError(
        'bad_request',
        `${name} does not compute embeddings.`,
        'Select an embedding model in the settings.',
      )
}

function baseModelFile(name: string): ModelError {
  return new ModelError(
    'no_model',
    `${name} is a base model without a chat template: it continues text but does not answer messages.`,
    'Serve it with llama-server to use it for code completion, and choose a chat or instruct model for conversations.',
  )
}

/** The user's setting or the default, up to what the model was trained with. */
function contextSizeOf(endpoint: Endpoint, trained: number | undefined): number {
  const wanted =
    optionsOf(endpoint, modelName(endpoint.baseUrl)).contextWindow ?? endpoint.contextWindow ?? ollamaWindow
  return Math.min(wanted, trained ?? wanted)
}

function createClient(
  endpoint: Endpoint,
  options: Pick<ClientOptions, 'features' | 'compatStore' | 'textPrompt'>,
  connect: () => Promise<ModelFileConnection>,
): ModelClient {
  const { name, baseUrl } = endpoint
  // The prompt describes the tools and grammars keep the calls valid, whether or not the model's template supports
  // tools.
  const adapter = createRequestAdapter({
    ...options,
    name,
    baseUrl,
    optionsOf: (model) => ({ ...optionsOf(endpoint, model), tools: false }),
  })

  async function* send(request: ChatRequest): AsyncGenerator<ModelEvent, void, void> {
    const target: RequestTarget = { name, kind: 'gguf', baseUrl, model: request.model }
    const connection = await connect()
    const reader = createAnswerReader(request, target, options.features)
    for (;;) {
      try {
        for await (const event of connection.chat(chatOf(adapter.adapt(request), request, endpoint), request.signal)) {
          if ('status' in event) yield { kind: 'status', note: event.status }
          else if ('likelihoods' in event) yield { kind: 'likelihoods', tokens: event.likelihoods }
          else if ('text' in event) yield* reader.push({ reasoning: '', text: event.text, calls: undefined })
          else {
            const { promptTokens, cachedTokens, completionTokens, promptMs, generationMs, finish } = event.usage
            const last = reader.finish(finish === 'length')
            yield* last
            const tokensPerSecond = speed(completionTokens - 1, generationMs)
            const promptTokensPerSecond = speed(promptTokens - cachedTokens, promptMs)
            yield {
              kind: 'usage',
              usage: {
                promptTokens,
                cachedTokens,
                completionTokens,
                ...(tokensPerSecond !== undefined && { tokensPerSecond }),
                ...(promptTokensPerSecond !== undefined && { promptTokensPerSecond }),
              },
            }
            const hasCalls = last.some(({ kind }) => kind === 'call')
            yield { kind: 'finish', reason: finish === 'length' ? 'length' : hasCalls ? 'tool_calls' : 'stop' }
          }
        }
        return
      } catch (error) {
        const problem = error instanceof ModelFileError ? error.templateProblem : undefined
        // No answer has begun. The template may accept another format of the messages.
        const refusal = problem === undefined ? undefined : readRefusal(500, `chat template: ${problem}`, request)
        if (refusal && adapter.learnFromRefusal(request, refusal)) continue
        yield* reader.interrupt()
        throw error
      }
    }
  }

  return {
    stream: (request) =>
      withWaitingNotes((signal) => send({ ...request, signal }), request.signal, defaultTimeouts.noticeMs),
    models: () => Promise.resolve([{ id: modelName(baseUrl) }]),
  }
}

/** Returns tokens per second; undefined for none. */
function speed(tokens: number, ms: number): number | undefined {
  return tokens > 0 && ms > 0 ? (tokens * 1000) / ms : undefined
}

function chatOf(adapted: ChatRequest, request: ChatRequest, endpoint: Endpoint): ModelFileChat {
  const { temperature, topP, topK, minP, presencePenalty, repeatPenalty, maxTokens, think } = {
    ...optionsOf(endpoint, request.model),
    ...(request.thinking && { think: request.thinking }),
  }
  const variables = templateVariables(think, request.model)
  const limit = request.maxTokens ?? maxTokens
  return {
    isAside: request.isAside === true,
    messages: adapted.messages.map(({ role, content }): TemplateMessage => ({
      role: role === 'tool' ? 'user' : role,
      content,
    })),
    grammars: callGrammars(request.tools),
    answerGrammars: request.answerSchema ? schemaGrammars(request.answerSchema) : [],
    ...(request.topTokens !== undefined && { topTokens: request.topTokens }),
    againstRepetition: request.againstRepetition === true,
    temperature: request.ownTemperature ? request.temperature : (temperature ?? request.temperature),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(minP !== undefined && { minP }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(repeatPenalty !== undefined && { repeatPenalty }),
    ...(limit !== undefined && { maxTokens: limit }),
    ...(variables && { templateVariables: variables }),
  }
}

/** Whether a `node_modules` folder above this file has the package. Does not load it. */
function isPackageInstalled(): boolean {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'node_modules', 'node-llama-cpp', 'package.json'))) return true
    if (folder === path.dirname(folder)) return false
  }
}

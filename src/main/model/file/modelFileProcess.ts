import { Sequencer } from '../../../shared/async/sequencer.ts'
import { parentChannel } from '../../base/parentChannel.ts'
import { ModelError } from '../modelClient.ts'
import { skipLibraryTest } from './libraryTest.ts'
import { loadModelFile, TemplateRefusal, type LoadedModel } from './llamaModel.ts'
import {
  missingPackage,
  type ModelFileChat,
  type ModelFileFailure,
  type ModelFileMessage,
  type ModelFileOptions,
  type ModelFileRequest,
} from './modelFileMessages.ts'
import { openInLlama } from './openInLlama.ts'

// The process of one model file. Loads the model with the first request. Started by modelFileConnection.ts.

const channel = parentChannel()
const post = (message: ModelFileMessage): void => channel.post(message)
// Passed by modelFileConnection.ts, the only file that starts this one.
const options = JSON.parse(process.argv[2] ?? '') as ModelFileOptions

if (process.versions['electron'] !== undefined) skipLibraryTest()

let onProgress: (share: number) => void = () => undefined

// A file is opened either for answers or for embeddings, depending on its header.
const loaded = once<LoadedModel>(() => loadModelFile(options, (share) => onProgress(share)))
const embedder = once<EmbedInProcess>(() => loadEmbeddingModel(options))

/** Loads the model once. After a failure, the next request tries again, because memory may be free then. */
function once<Model>(load: () => Promise<Model>): () => Promise<Model> {
  let loading: Promise<Model> | undefined
  return () => {
    loading ??= load().then(
      (model) => {
        post({ loaded: true })
        return model
      },
      (error: unknown) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
}

async function chat(id: number, request: ModelFileChat, signal: AbortSignal): Promise<void> {
  const status = (text: string): void => post({ id, status: text })
  status('Loading the model…')
  let shown = 0
  onProgress = (share) => {
    const percent = Math.floor(share * 20) * 5
    if (percent <= shown) return
    shown = percent
    status(`Loading the model (${percent}%)…`)
  }
  const model = await loaded()
  onProgress = () => undefined
  signal.throwIfAborted()
  const events = model.chat(request, signal)
  for (;;) {
    const { done, value } = await events.next()
    if (done) return post({ id, usage: value })
    post({ id, ...value })
  }
}

function failureOf(error: unknown): ModelFileFailure {
  if (error instanceof ModelError)
    return { code: error.code, message: error.message, hint: error.hint, ...(error.excess && { excess: error.excess }) }
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof TemplateRefusal)
    return {
      code: 'bad_request',
      message: `The chat template of the model failed: ${message}`,
      hint: 'Select another model.',
      templateProblem: message,
    }
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
    return { code: 'no_model', ...missingPackage }
  return {
    code: 'server_error',
    message: `llama.cpp failed: ${message}`,
    hint: 'Send the message again. If the error persists, select another model.',
  }
}

/** Cancels requests that are waiting or running, by id. */
const running = new Map<number, AbortController>()
// The model has one context, so it is used by one request at a time.
const evaluations = new Sequencer()

async function answer(request: Exclude<ModelFileRequest, { method: 'cancel' }>, signal: AbortSignal): Promise<void> {
  const { id } = request
  try {
    signal.throwIfAborted()
    if (request.method === 'chat') await chat(id, request.chat, signal)
    else if (request.method === 'embed') post({ id, vectors: await (await embedder())(request.texts, signal) })
    else post({ id, count: (await loaded()).count(request.text) })
  } catch (error) {
    post({ id, failure: failureOf(error) })
  } finally {
    running.delete(id)
  }
}

channel.onMessage((message) => {
  // Sent by modelFileConnection.ts.
  const request = message as ModelFileRequest
  if (request.method === 'cancel') {
    running.get(request.id)?.abort()
    return post({ id: request.id, cancelled: true })
  }
  const controller = new AbortController()
  running.set(request.id, controller)
  if (request.method === 'count') void answer(request, controller.signal)
  else void evaluations.queue(() => answer(request, controller.signal))
})

/** Returns a vector per text, in the order of the texts. @throws AbortError */
type EmbedInProcess = (texts: readonly string[], signal: AbortSignal) => Promise<number[][]>

/** Number of tokens that llama.cpp adds to a text, and one that its limit excludes. */
const addedTokens = 3

/** Loads a model that computes embeddings. @throws ModelError `no_model`, as for a model that chats */
async function loadEmbeddingModel(options: ModelFileOptions): Promise<EmbedInProcess> {
  const { contextSize } = options
  const { model, refuse } = await openInLlama(options, () => undefined)
  // Bidirectional models need the whole text in one batch.
  const context = await model.createEmbeddingContext({ contextSize, batchSize: contextSize }).catch(refuse)
  return async (texts, signal) => {
    const vectors: number[][] = []
    for (const text of texts) {
      signal.throwIfAborted()
      const input =
        context.calculateInputLength(text) < contextSize
          ? text
          : model.tokenize(text).slice(0, contextSize - addedTokens)
      vectors.push([...(await context.getEmbeddingFor(input)).vector])
    }
    return vectors
  }
}

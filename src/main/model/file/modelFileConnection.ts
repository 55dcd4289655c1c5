import { ModelError, type TokenLikelihood } from '../modelClient.ts'
import { abortError } from '../transport/http.ts'
import type {
  ModelFileChat,
  ModelFileFailure,
  ModelFileOptions,
  ModelFileRequest,
  ModelFileUsage,
} from './modelFileMessages.ts'
import { modelName } from './modelFileParts.ts'
import { createRestartingProcess, type ProcessDeps, type RequestMessage, type WithoutId } from './restartingProcess.ts'

export type ModelFileEvent =
  | { status: string }
  | { text: string }
  | { likelihoods: TokenLikelihood[] }
  | { usage: ModelFileUsage }

/** A failure of the process. `templateProblem`: why the chat template rejected the messages. */
export class ModelFileError extends ModelError {
  templateProblem: string | undefined
}

/** Requests to the model of one file. */
export interface ModelFileConnection {
  readonly options: ModelFileOptions
  /** Whether the model is in memory. */
  readonly isLoaded: boolean
  /** Streams an answer; ends with `usage`. @throws ModelError, AbortError */
  chat(chat: ModelFileChat, signal: AbortSignal): AsyncGenerator<ModelFileEvent, void, void>
  /** Counts the tokens of a text. @throws ModelError, AbortError */
  count(text: string, signal: AbortSignal): Promise<number>
  /** Returns a vector per text, in the order of the texts. @throws ModelError, AbortError */
  embed(texts: readonly string[], signal: AbortSignal): Promise<number[][]>
  /** Ends the process. */
  close(): void
}

export function createModelFileConnection(options: ModelFileOptions, deps: ProcessDeps): ModelFileConnection {
  const name = modelName(options.file)
  const process = createRestartingProcess(options, deps)

  async function* chat(request: ModelFileChat, signal: AbortSignal): AsyncGenerator<ModelFileEvent, void, void> {
    const child = yield* process.running(signal)
    const messages: RequestMessage[] = []
    let wake = Promise.withResolvers<void>()
    const onAbort = (): void => wake.resolve()
    const sent = process.send(child, { method: 'chat', chat: request }, (message) => {
      messages.push(message)
      wake.resolve()
    })
    signal.addEventListener('abort', onAbort, { once: true })
    let finished = false
    try {
      for (;;) {
        if (signal.aborted) throw abortError()
        const message = messages.shift()
        if (message === undefined) {
          await wake.promise
          wake = Promise.withResolvers()
          continue
        }
        finished = !('status' in message || 'text' in message || 'likelihoods' in message)
        yield eventOf(name, message)
        if (finished) return
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      sent.stop()
      if (!finished) sent.cancel()
    }
  }

  /** Sends a request with one answer. @param read returns the answer in a message, undefined for other messages */
  async function ask<Answer>(
    request: WithoutId<ModelFileRequest>,
    read: (message: RequestMessage) => Answer | undefined,
    signal: AbortSignal,
  ): Promise<Answer> {
    const starting = process.running(signal)
    let step = await starting.next()
    while (!step.done) step = await starting.next()
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const sent = process.send(step.value, request, (message) => {
      const answer = read(message)
      if (answer !== undefined) resolve(answer)
      else if ('failure' in message) reject(errorOf(message.failure))
      else if ('ended' in message) reject(processEnded(name, message))
    })
    const onAbort = (): void => {
      sent.cancel()
      reject(abortError())
    }
    signal.addEventListener('abort', onAbort, { once: true })
    return promise.finally(() => {
      sent.stop()
      signal.removeEventListener('abort', onAbort)
    })
  }

  return {
    options,
    get isLoaded() {
      return process.isLoaded
    },
    chat,
    count: (text, signal) =>
      ask({ method: 'count', text }, (message) => ('count' in message ? message.count : undefined), signal),
    embed: (texts, signal) =>
      ask({ method: 'embed', texts }, (message) => ('vectors' in message ? message.vectors : undefined), signal),
    close: process.close,
  }
}

function eventOf(name: string, message: RequestMessage): ModelFileEvent {
  if ('ended' in message) throw processEnded(name, message)
  if ('failure' in message) throw errorOf(message.failure)
  if ('status' in message) return { status: message.status }
  if ('text' in message) return { text: message.text }
  if ('likelihoods' in message) return { likelihoods: message.likelihoods }
  if ('usage' in message) return { usage: message.usage }
  throw new Error('The process answered another request.')
}

function errorOf({ code, message, hint, excess, templateProblem }: ModelFileFailure): ModelFileError {
  const error = new ModelFileError(code, message, hint, { ...(excess && { excess }) })
  error.templateProblem = templateProblem
  return error
}

function processEnded(name: string, { ended, whileLoading }: { ended: string; whileLoading: boolean }): ModelError {
  return whileLoading
    ? new ModelError(
        'cut_off',
        `The process of ${name} ended while it loaded the model (${ended}). The file may be damaged, or memory ran out.`,
        'Send the message again. If this happens again, download the file again, reduce the context window of this endpoint, or select another model.',
      )
    : new ModelError(
        'cut_off',
        `The process of ${name} ended (${ended}).`,
        'It restarts with the next message. If this happens again, reduce the context window of this endpoint, or select another model.',
      )
}

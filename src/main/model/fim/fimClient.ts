import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import { parseChunk } from '../clients/chatClient.ts'
import { ModelError } from '../modelClient.ts'
import type { ServerAccess } from '../transport/serverAccess.ts'
import { readText, sendRequest, type HttpResponse, unlessAborted } from '../transport/http.ts'
import type { HttpTimeouts } from '../transport/progressWatch.ts'
import { serverFailed, type RequestTarget } from '../transport/modelErrors.ts'
import { createProgressWatch } from '../transport/progressWatch.ts'
import { ndjsonLines, sseData } from '../transport/sse.ts'
import { describeFormat, fimBody, fimChunk, fimText, rawBody, type FimFormat, type FimRequest } from './fimRequests.ts'
import { detectFormat } from './fimProbe.ts'

export type { FimRequest } from './fimRequests.ts'

export interface FimClientDeps {
  /** @throws ModelError if the endpoint does not exist or its address is invalid */
  access(choice: ModelChoice): Promise<ServerAccess>
  timeouts?: Partial<HttpTimeouts>
}

/** A prompt with the model's control tokens. */
export interface RawPrompt {
  prompt: string
  stop: readonly string[]
  maxTokens: number
  isComplete(text: string): boolean
}

/** Requests the middle of a text, in the format that the model's server supports. */
export interface FimClient {
  /**
   * Returns the answer up to its first control token. Aborting closes the connection, which stops the server.
   * @param enough ends the answer early; called with the text so far
   * @throws ModelError, AbortError
   */
  complete(
    choice: ModelChoice,
    request: FimRequest,
    signal: AbortSignal,
    enough?: (text: string) => boolean,
  ): Promise<string>
  /**
   * Continues a raw prompt, up to the stop sequences.
   * @returns the text, and whether the model stopped itself or the answer is complete
   * @throws ModelError, AbortError
   */
  continueRaw(choice: ModelChoice, prompt: RawPrompt, signal: AbortSignal): Promise<{ text: string; ended: boolean }>
  /** Detects the format again and describes it. @throws ModelError */
  detect(choice: ModelChoice, signal: AbortSignal): Promise<string>
  /** Forgets the formats of one endpoint's models, or of all, because a different server may answer now. */
  forget(endpointId?: string): void
  /** Ends the detection of formats. */
  close(): void
}

/** Timeouts in milliseconds. A later suggestion is useless. */
const fimTimeouts: HttpTimeouts = { connectMs: 3000, headersMs: 15_000, chunkMs: 5000 }
/** Maximum characters of an answer, and bytes that are read for it. The tokens of a suggestion are far fewer. */
const maxAnswer = 16_000
const maxBytes = 512 * 1024

export function createFimClient({ access, timeouts = {} }: FimClientDeps): FimClient {
  const formats = new Map<string, { endpoint: string; root: string; format: Promise<FimFormat> }>()
  const closed = new AbortController()
  const key = ({ endpointId, model }: ModelChoice) => JSON.stringify([endpointId, model])

  /** Typing does not cancel the detection, because the server may be loading the model. */
  async function formatOf(choice: ModelChoice, server: ServerAccess, signal: AbortSignal): Promise<FimFormat> {
    const known = formats.get(key(choice))
    if (known?.root === server.root) return unlessAborted(known.format, signal)
    const format = detectFormat(server, choice.model, closed.signal)
    const entry = { endpoint: choice.endpointId, root: server.root, format }
    formats.set(key(choice), entry)
    format.catch(() => {
      if (formats.get(key(choice)) === entry) formats.delete(key(choice))
    })
    return unlessAborted(format, signal)
  }

  async function post(
    server: ServerAccess,
    { path, body }: { path: string; body: object },
    kind: FimFormat['kind'],
    enough: (text: string) => boolean,
    signal: AbortSignal,
  ): Promise<{ text: string; ended: boolean }> {
    const { root, connection, target } = server
    const response = await sendRequest({
      method: 'POST',
      url: `${root}${path}`,
      connection,
      body,
      signal,
      timeouts: { ...fimTimeouts, ...timeouts },
      target,
    })
    try {
      if (response.status < 200 || response.status >= 300)
        throw serverFailed(response.status, await readText(response, target), target)
      return await readStream(kind, response, target, enough)
    } finally {
      response.close()
    }
  }

  return {
    async complete(choice, request, signal, enough = () => false) {
      const server = await access(choice)
      const format = await formatOf(choice, server, signal)
      try {
        const sent = fimBody(format, choice.model, request, server.loading)
        const { text } = await post(server, sent, format.kind, enough, signal)
        return fimText(format, request, text)
      } catch (error) {
        // The server may have a different model now.
        if (error instanceof ModelError && error.code === 'bad_request') formats.delete(key(choice))
        throw error
      }
    },
    async continueRaw(choice, { prompt, stop, maxTokens, isComplete }, signal) {
      const server = await access(choice)
      const kind = server.target.kind === 'ollama' ? 'ollama' : 'openai'
      const sent = rawBody(kind, choice.model, { prompt, stop, maxTokens }, server.loading)
      return post(server, sent, kind === 'ollama' ? 'ollamaRaw' : 'raw', isComplete, signal)
    },
    async detect(choice, signal) {
      formats.delete(key(choice))
      return describeFormat(await formatOf(choice, await access(choice), signal))
    },
    forget(endpointId) {
      for (const [each, { endpoint }] of formats)
        if (endpointId === undefined || endpoint === endpointId) formats.delete(each)
    },
    close: () => closed.abort(),
  }
}

/** Reads an answer until it ends, `enough` accepts it, or it reaches its maximum length. */
async function readStream(
  kind: FimFormat['kind'],
  response: HttpResponse,
  target: RequestTarget,
  enough: (text: string) => boolean,
): Promise<{ text: string; ended: boolean }> {
  const isEvents = (response.headers['content-type'] ?? '').includes('text/event-stream')
  const chunks = limited(response.chunks(), target)
  let text = ''
  const watch = createProgressWatch(target, response.timeouts)
  for await (const data of isEvents ? sseData(chunks, target, watch) : ndjsonLines(chunks, target, watch)) {
    if (data === '[DONE]') break
    const { text: more, end } = fimChunk(kind, parseChunk(data, target))
    text += more
    if (more !== '') watch.progressed()
    if (end !== undefined) return { text: text.slice(0, maxAnswer), ended: end === 'stop' }
    if (enough(text)) return { text, ended: true }
    if (text.length >= maxAnswer) break
  }
  return { text: text.slice(0, maxAnswer), ended: false }
}

/** @throws ModelError `bad_response` if the server sends far more than a suggestion */
async function* limited(chunks: AsyncIterable<Buffer>, { name }: RequestTarget): AsyncGenerator<Buffer, void, void> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw new ModelError(
        'bad_response',
        `${name} sent more than 512 KB for one suggestion.`,
        'Choose another model for inline completion, or check the server.',
      )
    yield chunk
  }
}

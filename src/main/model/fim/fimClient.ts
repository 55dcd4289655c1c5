import type { ModelChoice } from '../../../shared/conversation.ts'
import { parseChunk } from '../clients/chatClient.ts'
import { ModelError } from '../clients/modelClient.ts'
import type { ServerAccess } from '../endpoints/endpointClient.ts'
import { readText, sendRequest, type HttpResponse, type HttpTimeouts } from '../transport/http.ts'
import { serverFailed, type RequestTarget } from '../transport/modelErrors.ts'
import { ndjsonLines, sseData } from '../transport/sse.ts'
import { describeForm, fimBody, fimChunk, fimText, type FimForm, type FimRequest } from './fimForms.ts'
import { unlessAborted } from '../transport/unlessAborted.ts'
import { detectForm } from './fimProbe.ts'

export type { FimRequest } from './fimForms.ts'

export interface FimClientDeps {
  /** @throws ModelError if the endpoint does not exist or its address is invalid */
  access(choice: ModelChoice): Promise<ServerAccess>
  timeouts?: Partial<HttpTimeouts>
}

/** Requests the middle of texts, in the form that the server of a model supports. */
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
  /** Detects the form again and describes it. @throws ModelError */
  detect(choice: ModelChoice, signal: AbortSignal): Promise<string>
  /** Ends the detection of forms. */
  close(): void
}

/** Timeouts in milliseconds. A later suggestion is useless. */
const fimTimeouts: HttpTimeouts = { connectMs: 3000, headersMs: 15_000, chunkMs: 5000 }
/** Maximum characters of an answer, and bytes that are read for it. The tokens of a suggestion are far fewer. */
const maxAnswer = 16_000
const maxBytes = 512 * 1024

export function createFimClient({ access, timeouts = {} }: FimClientDeps): FimClient {
  const forms = new Map<string, { root: string; form: Promise<FimForm> }>()
  const closed = new AbortController()
  const key = ({ endpointId, model }: ModelChoice) => JSON.stringify([endpointId, model])

  /** Keys that come in the meantime do not stop the detection, during which the server may load the model. */
  async function formOf(choice: ModelChoice, server: ServerAccess, signal: AbortSignal): Promise<FimForm> {
    const known = forms.get(key(choice))
    if (known?.root === server.root) return unlessAborted(known.form, signal)
    const form = detectForm(server, choice.model, closed.signal)
    const entry = { root: server.root, form }
    forms.set(key(choice), entry)
    form.catch(() => {
      if (forms.get(key(choice)) === entry) forms.delete(key(choice))
    })
    return unlessAborted(form, signal)
  }

  return {
    async complete(choice, request, signal, enough = () => false) {
      const server = await access(choice)
      const form = await formOf(choice, server, signal)
      const { path, body } = fimBody(form, choice.model, request)
      const response = await sendRequest({
        method: 'POST',
        url: `${server.root}${path}`,
        connection: server.connection,
        body,
        signal,
        timeouts: { ...fimTimeouts, ...timeouts },
        target: server.target,
      })
      try {
        if (response.status < 200 || response.status >= 300) {
          // The server may have another model now.
          if ([400, 404, 422, 501].includes(response.status)) forms.delete(key(choice))
          throw serverFailed(response.status, await readText(response, server.target), server.target)
        }
        return fimText(form, request, await readStream(form, response, server, enough))
      } finally {
        response.close()
      }
    },
    async detect(choice, signal) {
      forms.delete(key(choice))
      return describeForm(await formOf(choice, await access(choice), signal))
    },
    close: () => closed.abort(),
  }
}

/** Reads an answer until its end, its maximum length, or until it is enough. */
async function readStream(
  form: FimForm,
  response: HttpResponse,
  { target }: ServerAccess,
  enough: (text: string) => boolean,
): Promise<string> {
  const isEvents = (response.headers['content-type'] ?? '').includes('text/event-stream')
  const chunks = limited(response.chunks(), target)
  let text = ''
  for await (const data of isEvents ? sseData(chunks, target) : ndjsonLines(chunks, target)) {
    if (data === '[DONE]') break
    const { text: more, done } = fimChunk(form, parseChunk(data, target))
    text += more
    if (done || text.length >= maxAnswer || enough(text)) break
  }
  return text.slice(0, maxAnswer)
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

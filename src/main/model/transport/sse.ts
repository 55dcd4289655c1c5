import { createParser } from 'eventsource-parser'
import { ModelError } from '../clients/modelClient.ts'
import { headersTimeout, type RequestTarget } from './modelErrors.ts'

/** No event or line of a model is longer; without a cap a broken server could fill the memory. Characters. */
const maxEventLength = 16 * 1024 * 1024

/**
 * The data of server-sent events. llama-server's older `error: {…}` field is passed on as the JSON it carries.
 * @param dataMs comments, which proxies send to keep a connection open, are not taken for an answer for longer than this
 * @throws ModelError `bad_response` when an event is longer than 16 MiB, `timeout`, and what `chunks` throws
 */
export async function* sseData(
  chunks: AsyncIterable<Buffer>,
  target: RequestTarget,
  dataMs = Infinity,
): AsyncGenerator<string, void, void> {
  const ready: string[] = []
  let overflow = false
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: (event) => ready.push(event.data),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') overflow = true
      else if (error.field === 'error' && error.value) ready.push(`{"error":${error.value}}`)
      // Other unknown fields are ignored, as the specification of server-sent events demands.
    },
  })
  const decoder = new TextDecoder()
  /** The line that has only begun: the parser drops a field it does not know, `error` too, when it comes in two pieces. */
  let begun: string[] = []
  let length = 0
  let lastData = performance.now()
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
    if (end > 0) {
      parser.feed([...begun, text.slice(0, end)].join(''))
      begun = []
      length = 0
    }
    begun.push(text.slice(end))
    length += text.length - end
    if (overflow || length > maxEventLength) throw tooLong(target)
    if (ready.length > 0) lastData = performance.now()
    else if (performance.now() - lastData > dataMs) throw headersTimeout(dataMs, target)
    yield* ready.splice(0)
  }
  // A last event whose blank line was lost with the connection still counts.
  parser.feed(`${begun.join('')}${decoder.decode()}\n\n`)
  yield* ready.splice(0)
}

/**
 * Non-empty lines (NDJSON).
 * @throws ModelError `bad_response` when a line is longer than 16 MiB, and what `chunks` throws
 */
export async function* ndjsonLines(
  chunks: AsyncIterable<Buffer>,
  target: RequestTarget,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
    parts.push(first)
    length += first.length
    if (length > maxEventLength) throw tooLong(target)
    for (const next of rest) {
      const line = parts.join('').trim()
      parts = [next]
      length = next.length
      if (line) yield line
    }
  }
  const last = (parts.join('') + decoder.decode()).trim()
  if (last) yield last
}

function tooLong(target: RequestTarget): ModelError {
  return new ModelError(
    'bad_response',
    `${target.name} sent a single piece of more than 16 MiB.`,
    'Look at the server; no model writes that much at once.',
  )
}

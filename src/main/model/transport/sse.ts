import { createParser } from 'eventsource-parser'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { ModelError } from '../modelClient.ts'
import type { RequestTarget } from './modelErrors.ts'
import type { ProgressWatch } from './progressWatch.ts'

/** Maximum length of an event or line, in characters. Without a limit, a broken server could fill the memory. */
const maxEventLength = 16 * 1024 * 1024

/** Maximum number of lines in a stream that are neither event fields nor comments. */
const maxUnknownFields = 10_000

/**
 * Yields the data of server-sent events. Yields the JSON of llama-server's older `error: {…}` field as data too.
 * @param watch ends a stream that trickles or consists of comments. The caller reports progress to it
 * @throws ModelError `bad_response` if an event exceeds 16 MiB or the stream consists of other lines, `timeout`, and
 *   whatever `chunks` throws
 */
export async function* sseData(
  chunks: AsyncIterable<Buffer>,
  target: RequestTarget,
  watch?: ProgressWatch,
): AsyncGenerator<string, void, void> {
  const ready: string[] = []
  let overflow = false
  let unknownFields = 0
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: (event) => ready.push(event.data),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') overflow = true
      else if (error.field === 'error' && error.value) ready.push(`{"error":${error.value}}`)
      // The specification of server-sent events requires ignoring other unknown fields, but each costs time.
      else unknownFields += 1
    },
  })
  const decode = createDecoder()
  /** The incomplete last line. The parser drops an unknown field, such as `error`, if it arrives in two chunks. */
  let begun: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    const text = decode(chunk)
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
    if (end > 0) {
      parser.feed([...begun, text.slice(0, end)].join(''))
      if (unknownFields > maxUnknownFields) throw notAnEventStream(target)
      begun = []
      length = 0
    }
    begun.push(text.slice(end))
    length += text.length - end
    if (overflow || length > maxEventLength) throw tooLong(target)
    yield* ready.splice(0)
    watch?.received(chunk.length, end > 0, length > 0)
    watch?.check()
  }
  // Handles a final event whose blank line was lost with the connection.
  parser.feed(`${begun.join('')}${decode()}\n\n`)
  yield* ready.splice(0)
}

/**
 * Yields the non-empty lines of an NDJSON stream.
 * @param watch see `sseData`
 * @throws ModelError `bad_response` if a line exceeds 16 MiB, `timeout`, and whatever `chunks` throws
 */
export async function* ndjsonLines(
  chunks: AsyncIterable<Buffer>,
  target: RequestTarget,
  watch?: ProgressWatch,
): AsyncGenerator<string, void, void> {
  const decode = createDecoder()
  let parts: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decode(chunk).split('\n')
    parts.push(first)
    length += first.length
    if (length > maxEventLength) throw tooLong(target)
    for (const next of rest) {
      const line = parts.join('').trim()
      parts = [next]
      length = next.length
      if (line) yield line
    }
    watch?.received(chunk.length, rest.length > 0, length > 0)
    watch?.check()
  }
  const last = (parts.join('') + decode()).trim()
  if (last) yield last
}

/**
 * Decodes UTF-8 in chunks, without a byte order mark at the start. Node's own removal is off: after a chunk that ends
 * inside a character, it also removes a mark in the middle of the stream.
 */
function createDecoder(): (chunk?: Buffer) => string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let started = false
  return (chunk) => {
    const text = chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    if (started || text === '') return text
    started = true
    return text.startsWith('\ufeff') ? text.slice(1) : text
  }
}

function notAnEventStream(target: RequestTarget): ModelError {
  return new ModelError(
    'bad_response',
    `${target.name} sent more than ${formatNumber(maxUnknownFields)} lines that are not server-sent events.`,
    'Check the address of this endpoint: another program may answer there.',
  )
}

function tooLong(target: RequestTarget): ModelError {
  return new ModelError(
    'bad_response',
    `${target.name} sent a single event of more than 16 MiB.`,
    'Check the server: no model writes that much at once.',
  )
}

import { z } from 'zod'
import { createBoundedLines, type OversizedLine } from '../../base/boundedLines.ts'
import { idSchema, readMessageEnds } from '../../base/jsonRpcEnds.ts'

/** A message of a client that is answered with an error instead of being passed on (JSON-RPC 2.0, section 5.1). */
export interface RefusedFrame {
  jsonrpc: '2.0'
  /** Null where the message's own cannot be told. */
  id: string | number | null
  error: { code: -32700 | -32600; message: string }
}

/** Bytes of one message. Files that a client writes through a tool are far smaller. */
export const maxFrame = 10 * 1024 * 1024

/** What a message must be to be passed on: a request, a notification or an answer. Its content is the library's matter. */
const messageSchema = z.looseObject({ jsonrpc: z.literal('2.0') })

/**
 * Cuts a client's input into messages, one a line, and refuses what is none without ending the connection: a message longer than
 * `maxFrame`, whose rest is passed over without being kept, a line that is not JSON or not UTF-8, and a batch, which the protocol
 * no longer has. Empty lines are passed over.
 * @param refuse answers the client
 * @yields lines with their line end
 */
export async function* readFrames(
  input: AsyncIterable<Uint8Array>,
  refuse: (frame: RefusedFrame) => void,
): AsyncGenerator<Buffer> {
  const lines = createBoundedLines(maxFrame)
  for await (const chunk of input) {
    for (const line of lines.push(chunk)) {
      const refused = 'head' in line ? tooLong(line) : problemOf(line)
      if (refused !== undefined) refuse(refused)
      else if (!('head' in line) && line.some((byte) => byte > 32)) yield Buffer.concat([line, Buffer.from('\n')])
    }
  }
}

/** Why a line is no message; undefined for one that is, and for an empty line. */
function problemOf(line: Buffer): RefusedFrame | undefined {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(line)
  } catch {
    return refusal(null, -32700, 'The message is not valid UTF-8.')
  }
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return refusal(
      null,
      -32700,
      `The message is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
  if (Array.isArray(value))
    return refusal(null, -32600, 'Batches are not supported: send each message on a line of its own.')
  const message = messageSchema.safeParse(value)
  if (message.success) return undefined
  const id = z.object({ id: idSchema }).safeParse(value)
  return refusal(
    id.success ? id.data.id : null,
    -32600,
    'The message is no JSON-RPC 2.0 message: an object with "jsonrpc": "2.0" is expected.',
  )
}

function tooLong(ends: OversizedLine): RefusedFrame {
  const limit = `${maxFrame / 1024 / 1024} MiB`
  return refusal(
    readMessageEnds(ends).id ?? null,
    -32600,
    `The message is longer than ${limit} and was not read. Send less at once, for example a file in several parts.`,
  )
}

function refusal(id: RefusedFrame['id'], code: RefusedFrame['error']['code'], message: string): RefusedFrame {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

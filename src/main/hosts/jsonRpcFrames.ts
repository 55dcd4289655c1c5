import { z } from 'zod'
import { createBoundedLines, type OversizedLine } from '../base/boundedLines.ts'
import { idSchema, readMessageEnds } from '../base/jsonRpcEnds.ts'

/** The error response to an invalid message from a client (JSON-RPC 2.0, section 5.1). */
export interface RefusedFrame {
  jsonrpc: '2.0'
  /** Null if the message id is unknown. */
  id: string | number | null
  error: { code: -32700 | -32600; message: string }
}

/** Maximum size of one message in bytes. */
export const maxFrame = 10 * 1024 * 1024

/** Envelope of requests, notifications and responses. The SDK validates what is inside. */
const messageSchema = z.looseObject({ jsonrpc: z.literal('2.0') })

/**
 * Splits a client's input into messages, one per line. Skips empty lines. Refuses invalid messages without closing the
 * connection: messages longer than `maxFrame`, which are not buffered; lines that are not UTF-8 or not JSON; and
 * batches, which the protocol has removed.
 * @param refuse called with the error response to send
 * @yields lines with their line endings
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

/** Returns the error for an invalid line; undefined for a valid message or an empty line. */
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
    return refusal(null, -32600, 'Batches are not supported. Send each message on its own line.')
  const message = messageSchema.safeParse(value)
  if (message.success) return undefined
  const id = z.object({ id: idSchema }).safeParse(value)
  return refusal(
    id.success ? id.data.id : null,
    -32600,
    'The message is not a JSON-RPC 2.0 message: expected an object with "jsonrpc": "2.0".',
  )
}

function tooLong(ends: OversizedLine): RefusedFrame {
  const limit = `${maxFrame / 1024 / 1024} MiB`
  return refusal(
    readMessageEnds(ends).id ?? null,
    -32600,
    `The message is longer than ${limit} and was not read. Send less at once, e.g. a file in several parts.`,
  )
}

function refusal(id: RefusedFrame['id'], code: RefusedFrame['error']['code'], message: string): RefusedFrame {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

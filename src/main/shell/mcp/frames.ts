import { z } from 'zod'

/** A message of a client that is answered with an error instead of being passed on (JSON-RPC 2.0, section 5.1). */
export interface RefusedFrame {
  jsonrpc: '2.0'
  /** Null where the message's own cannot be told. */
  id: string | number | null
  error: { code: -32700 | -32600; message: string }
}

/** Bytes of one message. Files that a client writes through a tool are far smaller. */
export const maxFrame = 10 * 1024 * 1024
/** Bytes kept of both ends of a longer message, where its id is. */
const endBytes = 1024

/** What a message must be to be passed on: a request, a notification or an answer. Its content is the library's matter. */
const messageSchema = z.looseObject({ jsonrpc: z.literal('2.0') })
const idSchema = z.union([z.string(), z.number()])

/**
 * Cuts a client's input into messages, one a line, and refuses what is none without ending the connection: a message longer than
 * `maxFrame`, whose rest is passed over without being kept, a line that is not JSON or not UTF-8, and a batch, which the protocol
 * no longer has. Empty lines are passed over.
 * @param refuse answers the client
 * @yields lines with their line end
 */
export async function* readFrames(input: AsyncIterable<Uint8Array>, refuse: (frame: RefusedFrame) => void): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let length = 0
  /** The ends of a message that is too long; its middle is gone. */
  let oversized: { head: Buffer; tail: Buffer } | undefined

  const take = (piece: Buffer): void => {
    if (oversized === undefined && length + piece.length <= maxFrame) {
      parts.push(piece)
      length += piece.length
      return
    }
    const head: Buffer = oversized?.head ?? Buffer.from(Buffer.concat([...parts, piece.subarray(0, endBytes)]).subarray(0, endBytes))
    const before: Buffer = oversized?.tail ?? Buffer.concat(parts).subarray(-endBytes)
    oversized = { head, tail: Buffer.from(Buffer.concat([before, piece.subarray(-endBytes)]).subarray(-endBytes)) }
    parts = []
    length = 0
  }
  const finish = (): Buffer | undefined => {
    const ends = oversized
    const line = Buffer.concat(parts, length)
    oversized = undefined
    parts = []
    length = 0
    const refused = ends === undefined ? problemOf(line) : tooLong(ends)
    if (refused !== undefined) refuse(refused)
    return refused === undefined && line.some((byte) => byte > 32) ? Buffer.concat([line, Buffer.from('\n')]) : undefined
  }

  for await (const chunk of input) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      take(bytes.subarray(start, end))
      start = end + 1
      const line = finish()
      if (line !== undefined) yield line
    }
    if (start < bytes.length) take(bytes.subarray(start))
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
    return refusal(null, -32700, `The message is not valid JSON: ${error instanceof Error ? error.message : String(error)}.`)
  }
  if (Array.isArray(value)) return refusal(null, -32600, 'Batches are not supported: send each message on a line of its own.')
  const message = messageSchema.safeParse(value)
  if (message.success) return undefined
  const id = z.object({ id: idSchema }).safeParse(value)
  return refusal(id.success ? id.data.id : null, -32600, 'The message is no JSON-RPC 2.0 message: an object with "jsonrpc": "2.0" is expected.')
}

function tooLong({ head, tail }: { head: Buffer; tail: Buffer }): RefusedFrame {
  const limit = `${maxFrame / 1024 / 1024} MiB`
  return refusal(idAtAnEnd(head.toString('utf8'), tail.toString('utf8')), -32600, `The message is longer than ${limit} and was not read. Send less at once, for example a file in several parts.`)
}

const value = /("(?:[^"\\]|\\.){0,200}"|-?\d{1,20})/.source
/** Before the long part only plain members can stand in the outermost object; behind it nothing but the closing brace of that object. */
const atStart = new RegExp(`^\\s*\\{\\s*(?:"(?:jsonrpc|method)"\\s*:\\s*"[^"\\\\]{0,200}"\\s*,\\s*){0,2}"id"\\s*:\\s*${value}\\s*,`)
const atEnd = new RegExp(`[}\\]"]\\s*,\\s*(?:"(?:jsonrpc|method)"\\s*:\\s*"[^"\\\\]{0,200}"\\s*,\\s*){0,2}"id"\\s*:\\s*${value}\\s*(?:,\\s*"(?:jsonrpc|method)"\\s*:\\s*"[^"\\\\]{0,200}"\\s*){0,2}\\}\\s*$`)

/** The id of a message of which only both ends are known. */
function idAtAnEnd(head: string, tail: string): string | number | null {
  const raw = (atStart.exec(head) ?? atEnd.exec(tail))?.[1]
  if (raw === undefined) return null
  try {
    return idSchema.parse(JSON.parse(raw))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null
    throw error
  }
}

function refusal(id: RefusedFrame['id'], code: RefusedFrame['error']['code'], message: string): RefusedFrame {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

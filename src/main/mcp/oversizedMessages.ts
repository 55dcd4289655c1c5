import type { JSONRPCErrorResponse } from '@modelcontextprotocol/sdk/types.js'
import { ToolError } from '../../shared/errors.ts'
import { readMessageEnds } from '../base/jsonRpcEnds.ts'

/** Bytes of one message. */
export const maxMessage = 10 * 1024 * 1024
/** Bytes of one message after which a connection is ended: what is longer is a stream without end. */
export const maxSkipped = 256 * 1024 * 1024

/** The code of the answer that takes the place of one over `maxMessage`; from the range that JSON-RPC leaves to implementations. */
const oversizedCode = -32_098

export const oversizedLog = `It sent a message of more than ${maxMessage} bytes, which was not read.`
export const endlessLog = `It sent a message of more than ${maxSkipped} bytes; the connection was ended.`

/** The answer to the call that waits for an oversized message; undefined where the message answers none or its id cannot be read. */
export function oversizedAnswer(ends: { head: Buffer; tail: Buffer }): JSONRPCErrorResponse | undefined {
  const { id, isAnswer } = readMessageEnds(ends)
  return isAnswer && id !== undefined
    ? { jsonrpc: '2.0', id, error: { code: oversizedCode, message: oversizedLog } }
    : undefined
}

export function isOversized(code: number): boolean {
  return code === oversizedCode
}

export function oversizedFailure(what = 'The MCP server'): ToolError {
  const message = `${what} answered with more than ${maxMessage / 1024 / 1024} MB, which was not read.`
  return new ToolError(
    'too_large',
    message,
    'Ask for less at once, for example a page or a part, or work without this tool.',
  )
}

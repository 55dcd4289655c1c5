import type { JSONRPCErrorResponse } from '@modelcontextprotocol/sdk/types.js'
import { ToolError } from '../../shared/errors.ts'
import { readMessageEnds } from '../base/jsonRpcEnds.ts'

/** Maximum bytes of a message. */
export const maxMessageBytes = 10 * 1024 * 1024
/** Bytes of a message after which it is considered endless and the connection is closed. */
export const maxEndlessBytes = 256 * 1024 * 1024

/** JSON-RPC error code of the response that replaces an oversized one, from the range for implementations. */
const oversizedCode = -32_098

/** Log message for a skipped message. */
export const oversizedLogMessage = `A message of more than ${maxMessageBytes} bytes was not read.`
/** Log message for a connection that was closed because a message did not end. */
export const endlessLogMessage = `The connection was closed after a message of more than ${maxEndlessBytes} bytes.`

/**
 * Returns an error response for the call that an oversized message belongs to; undefined if there is none or its id is
 * unknown.
 */
export function oversizedResponse(ends: { head: Buffer; tail: Buffer }): JSONRPCErrorResponse | undefined {
  const { id, isAnswer } = readMessageEnds(ends)
  return isAnswer && id !== undefined
    ? { jsonrpc: '2.0', id, error: { code: oversizedCode, message: oversizedLogMessage } }
    : undefined
}

/** Whether a JSON-RPC error code is the code in `oversizedResponse`. */
export function isOversized(code: number): boolean {
  return code === oversizedCode
}

/** Returns the error for a call whose response is too large. */
export function oversizedFailure(server?: string): ToolError {
  const megabytes = maxMessageBytes / 1024 / 1024
  const message =
    server === undefined
      ? `The MCP server responded with more than ${megabytes} MB, which was not read.`
      : `The MCP server "${server}" responded with more than ${megabytes} MB, which was not read.`
  return new ToolError('too_large', message, 'Request less at once, for example one page, or work without this tool.')
}

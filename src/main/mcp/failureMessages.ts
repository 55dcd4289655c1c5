import { ErrorCode, McpError, type Progress } from '@modelcontextprotocol/sdk/types.js'
import { isAbort, toFailure, ToolError } from '../../shared/errors.ts'
import { withoutHiddenCharacters } from '../../shared/visibleText.ts'
import { isOversized, oversizedFailure } from './oversizedMessages.ts'
import type { ServerLog } from './serverLog.ts'

interface FailureContext {
  name: string
  log: ServerLog
  /** A failure in the user's words, where the transport knows it. */
  explain(error: unknown): ToolError | undefined
}

/** Why a server could not be started, for the user. */
export function startProblem(error: unknown): string {
  if (!(error instanceof McpError)) return `It could not be started: ${safeErrorMessage(error)}`
  if (error.code === Number(ErrorCode.ConnectionClosed)) return 'It ended before it was ready.'
  return error.code === Number(ErrorCode.RequestTimeout)
    ? 'It did not become ready in time.'
    : `It answered with an error: ${safeErrorMessage(error)}`
}

/** What a failed call throws: an abort as it was, else a ToolError in words for a model. */
export function callFailure(error: unknown, { name, explain, log }: FailureContext, signal: AbortSignal): unknown {
  if (signal.aborted || isAbort(error)) return signal.reason ?? error
  if (error instanceof ToolError) return error
  const explained = explain(error)
  if (explained) return explained
  if (error instanceof McpError && error.code === Number(ErrorCode.RequestTimeout)) {
    return new ToolError(
      'timeout',
      `The MCP server "${name}" did not answer in time.`,
      'Ask for less at once, or work without this tool.',
    )
  }
  if (error instanceof McpError && error.code === Number(ErrorCode.ConnectionClosed)) {
    const last = log.lines().at(-1)
    const lastWords = last === undefined ? '' : ` Its last words: ${sanitize(last)}`
    const what = `The MCP server "${name}" ended before it answered.${lastWords}`
    return new ToolError('server_error', what, 'Tizona starts it again; try once more, or work without it.')
  }
  if (error instanceof McpError && isOversized(error.code)) return oversizedFailure(`The MCP server "${name}"`)
  const what = `The MCP server "${name}" answered with an error: ${safeErrorMessage(error)}`
  return new ToolError('server_error', what, 'Change the arguments, or work without this tool.')
}

/** A server's word on how far a call is. */
export function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`
  return message === undefined ? count : `${count}: ${sanitize(message)}`
}

/** An error's message as people and models may read it: much of it was written by the server. */
export function safeErrorMessage(error: unknown): string {
  return sanitize(toFailure(error).message.replace('An unforeseen error inside Tizona: ', ''))
}

function sanitize(text: string): string {
  const clean = withoutHiddenCharacters(text)
  return clean.length > 1000 ? `${clean.slice(0, 1000).toWellFormed()}…` : clean
}

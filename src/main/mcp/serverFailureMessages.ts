import { ErrorCode, McpError, type Progress } from '@modelcontextprotocol/sdk/types.js'
import { isAbort, toFailure, ToolError, unexpectedErrorPrefix } from '../../shared/errors.ts'
import { withoutHiddenCharacters } from '../../shared/text/visibleText.ts'
import { isOversized, oversizedFailure } from './oversizedMessages.ts'
import type { ServerLog } from '../base/serverLog.ts'
import { truncate } from '../../shared/text/truncate.ts'

interface FailureContext {
  name: string
  log: ServerLog
  /** Returns a readable error for failures that the transport recognizes. */
  explain(error: unknown): ToolError | undefined
}

/** Describes for the user why a server could not be started. */
export function startProblem(error: unknown): string {
  if (!(error instanceof McpError)) return `The server could not be started: ${safeErrorMessage(error)}`
  if (error.code === Number(ErrorCode.ConnectionClosed)) return 'The server exited before it was ready.'
  return error.code === Number(ErrorCode.RequestTimeout)
    ? 'The server did not become ready in time.'
    : `The server responded with an error: ${safeErrorMessage(error)}`
}

/** Converts a failed call to a ToolError for the model; returns an abort unchanged. */
export function callFailure(error: unknown, { name, explain, log }: FailureContext, signal: AbortSignal): unknown {
  if (signal.aborted || isAbort(error)) return signal.reason ?? error
  if (error instanceof ToolError) return error
  const explained = explain(error)
  if (explained) return explained
  if (error instanceof McpError && error.code === Number(ErrorCode.RequestTimeout)) {
    return new ToolError(
      'timeout',
      `The MCP server "${name}" did not respond in time.`,
      'Request less at once, or work without this tool.',
    )
  }
  if (error instanceof McpError && error.code === Number(ErrorCode.ConnectionClosed)) {
    const last = log.lines().at(-1)
    const lastLine = last === undefined ? '' : ` Last log line: ${sanitize(last)}`
    const what = `The MCP server "${name}" exited before it responded.${lastLine}`
    return new ToolError('server_error', what, 'Tizona restarts it; try once more, or work without it.')
  }
  if (error instanceof McpError && isOversized(error.code)) return oversizedFailure(name)
  const what = `The MCP server "${name}" responded with an error: ${safeErrorMessage(error)}`
  return new ToolError('server_error', what, 'Change the arguments, or work without this tool.')
}

/** Formats a progress notification of a server. */
export function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`
  return message === undefined ? count : `${count}: ${sanitize(message)}`
}

/** Returns an error message that is safe to show to users and models, since servers write parts of it. */
export function safeErrorMessage(error: unknown): string {
  return sanitize(toFailure(error).message.replace(unexpectedErrorPrefix, ''))
}

function sanitize(text: string): string {
  const clean = withoutHiddenCharacters(text)
  return truncate(clean, 1000)
}

import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { http } from '../base/nodeHttp.ts'

/** Headers that the client sets, that belong to the connection, or that would carry a session. */
const reservedHeaders = new Set([
  'host',
  'content-length',
  'accept-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'http2-settings',
  'cookie',
  'cookie2',
  'set-cookie',
  'set-cookie2',
  'forwarded',
  'via',
])
const reservedPrefixes = ['proxy-', 'sec-', 'x-forwarded-', ':']
const maxHeaders = 50
const maxBytes = 8192

/**
 * Validates headers and returns them by lower-case name.
 * @throws ToolError invalid_arguments for reserved or malformed headers
 */
export function requestHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(given)
  if (entries.length > maxHeaders)
    throw invalid(`The request has ${entries.length} headers; the maximum is ${maxHeaders}.`, 'Send fewer.')
  const bytes = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value) + 4, 0)
  if (bytes > maxBytes)
    throw invalid(
      `The headers are ${plural(bytes, 'byte')} long; the maximum is ${maxBytes}.`,
      'Send long values in the body.',
    )
  const headers = new Map<string, string>()
  for (const [written, value] of entries) {
    const name = written.toLowerCase()
    if (reservedHeaders.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix))) {
      throw invalid(`The header "${written}" cannot be set: connection headers and cookies are reserved.`, 'Omit it.')
    }
    try {
      http.validateHeaderName(name)
      http.validateHeaderValue(name, value)
    } catch (error) {
      throw new ToolError(
        'invalid_arguments',
        `The header ${JSON.stringify(written)} has a name or value that HTTP does not allow.`,
        'Remove line breaks and control characters.',
        { cause: error },
      )
    }
    headers.set(name, value)
  }
  return Object.fromEntries(headers)
}

function invalid(message: string, next: string): ToolError {
  return new ToolError('invalid_arguments', message, next)
}

import { validateHeaderName, validateHeaderValue } from 'node:http'
import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/plural.ts'

/** Headers the client writes itself, that belong to one connection, or that would carry a session. */
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

/** Headers of a call by their lower-case names. Throws `invalid_arguments` for those a call may not set, and for malformed ones. */
export function requestHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(given)
  if (entries.length > maxHeaders)
    throw invalid(`${entries.length} headers are given; ${maxHeaders} are the most.`, 'Send fewer.')
  const bytes = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value) + 4, 0)
  if (bytes > maxBytes)
    throw invalid(
      `The headers have ${plural(bytes, 'byte')}; ${maxBytes} are the most.`,
      'Send long values in the body.',
    )
  const headers = new Map<string, string>()
  for (const [written, value] of entries) {
    const name = written.toLowerCase()
    if (reservedHeaders.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix))) {
      throw invalid(
        `The header "${written}" cannot be set: the connection's own and cookies are not for a call to choose.`,
        'Leave it out.',
      )
    }
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch (error) {
      throw new ToolError(
        'invalid_arguments',
        `The header ${JSON.stringify(written)} has a name or value that HTTP does not allow.`,
        'Write it without line breaks and control characters.',
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

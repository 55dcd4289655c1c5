import type { LookupAddress } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import { ToolError } from '../../shared/errors.ts'
import { asSentence } from '../base/asSentence.ts'
import { http, loadHttps } from '../base/nodeHttp.ts'

/** One request to one server, without redirects. */
export interface SingleRequest {
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body?: string
  /** Checked addresses; only these are connected to. */
  addresses: readonly LookupAddress[]
  maxHeaderBytes: number
  signal: AbortSignal
}

/**
 * Sends a request over its own connection and resolves with the response headers. Connects to the checked addresses
 * without resolving the name again, while Host, SNI and the certificate check use the name. `fetch` has no such hook
 * without a package. Rejects with Node errors.
 */
export function sendRequest({
  url,
  method,
  headers,
  body,
  addresses,
  maxHeaderBytes,
  signal,
}: SingleRequest): Promise<IncomingMessage> {
  const lookup: LookupFunction = (_name, options, answer) => {
    const [first] = addresses
    if (options.all) answer(null, [...addresses])
    else if (first) answer(null, first.address, first.family)
    else answer(new Error('no address'), '')
  }
  const payload = body === undefined ? undefined : Buffer.from(body, 'utf8')
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const outgoing = (url.protocol === 'https:' ? loadHttps() : http).request(url, {
    method,
    // A pooled socket could belong to an earlier check.
    agent: false,
    lookup,
    maxHeaderSize: maxHeaderBytes,
    signal,
    headers: { ...headers, connection: 'close', ...(payload && { 'content-length': payload.length }) },
  })
  // The listener stays after the response starts: later failures are reported by the body stream and must not be
  // unhandled here.
  outgoing.on('error', reject)
  outgoing.on('response', resolve)
  outgoing.end(payload)
  return promise
}

/** Connection errors by Node error code. `reason` is a sentence about the host. */
const errorsByCode: Readonly<Record<string, { reason: string; next: string }>> = {
  ENOTFOUND: {
    reason: 'The host name does not exist.',
    next: 'Check the spelling of the address. If it is correct, this machine may be offline.',
  },
  EAI_AGAIN: {
    reason: 'The host name could not be looked up.',
    next: 'This machine may be offline. Continue without the web, or ask the user.',
  },
  ECONNREFUSED: { reason: 'The connection was refused.', next: 'Check the port, or try again later.' },
  ECONNRESET: { reason: 'The connection was closed.', next: 'Try again, or fetch another source.' },
  EPIPE: { reason: 'The connection was closed.', next: 'Try again, or fetch another source.' },
  ETIMEDOUT: { reason: 'The server does not respond.', next: 'Try again later, or fetch another source.' },
  ENETUNREACH: {
    reason: 'The network cannot be reached.',
    next: 'This machine may be offline. Continue without the web, or ask the user.',
  },
  EHOSTUNREACH: {
    reason: 'The host cannot be reached.',
    next: 'This machine may be offline. Continue without the web, or ask the user.',
  },
  Z_DATA_ERROR: { reason: 'The compressed response is corrupt.', next: 'Fetch another source.' },
  Z_BUF_ERROR: { reason: 'The compressed response is incomplete.', next: 'Try again, or fetch another source.' },
}

/** Converts a connection failure to a ToolError: `network_error`, or `too_large` for oversized headers. */
export function connectionError(error: unknown, url: URL): ToolError {
  const cause = innermost(error)
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ToolError('too_large', `The response headers of ${url.host} are too large.`, 'Fetch another source.', {
      cause: error,
    })
  }
  const { reason, next } = (Object.hasOwn(errorsByCode, code) ? errorsByCode[code] : undefined) ?? {
    reason: describeError(code, cause.message),
    next: 'Try again, or fetch another source.',
  }
  return new ToolError('network_error', `Fetching from ${url.host} failed. ${reason}`, next, { cause: error })
}

function describeError(code: string, message: string): string {
  if (/CERT|SELF_SIGNED|VERIFY/.test(code)) return `Its certificate is not trusted (${message}).`
  if (code.startsWith('HPE_')) return 'Its response is not valid HTTP.'
  return asSentence(message)
}

/** If all addresses of a host fail, Node throws one AggregateError. */
function innermost(error: unknown): Error {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0])
  return error instanceof Error ? error : new Error(String(error))
}

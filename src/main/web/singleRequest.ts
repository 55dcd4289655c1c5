import type { LookupAddress } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
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

import type { LookupAddress } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'

/** One request to one server, before any redirect. */
export interface SingleRequest {
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body?: string
  /** The checked addresses; the connection goes to one of these and nowhere else. */
  addresses: readonly LookupAddress[]
  maxHeaderBytes: number
  signal: AbortSignal
}

/**
 * Sends a request over a connection of its own and resolves with the answer's headers. The name is not resolved again: the
 * connection is given the checked addresses, while Host, SNI and the certificate check keep the name. (`fetch` offers no
 * such hook without a package.) Rejects with Node's own errors.
 */
export function sendRequest({
  url,
  method,
  headers,
  body,
  addresses,
  maxHeaderBytes,
  signal,
}: SingleRequest): Promise<http.IncomingMessage> {
  const lookup: LookupFunction = (_name, options, answer) => {
    const [first] = addresses
    if (options.all) answer(null, [...addresses])
    else if (first) answer(null, first.address, first.family)
    else answer(new Error('no address'), '')
  }
  const payload = body === undefined ? undefined : Buffer.from(body, 'utf8')
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  const outgoing = (url.protocol === 'https:' ? https : http).request(url, {
    method,
    // No pool: a pooled socket would belong to an earlier check.
    agent: false,
    lookup,
    maxHeaderSize: maxHeaderBytes,
    signal,
    headers: { ...headers, connection: 'close', ...(payload && { 'content-length': payload.length }) },
  })
  // Kept after the answer began: a later failure reaches whoever reads the body, and must not be an unhandled one here.
  outgoing.on('error', reject)
  outgoing.on('response', resolve)
  outgoing.end(payload)
  return promise
}

import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolError } from '../../../shared/errors.ts'

/** Maximum bytes of a response, and milliseconds of a request. */
const maxBytes = 1_000_000
const maxMs = 30_000

const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost'])

const isLoopback = (url: URL): boolean => loopbackHosts.has(url.hostname)

/** Errors for an insecure address, by its use in the sign-in. */
const insecureTexts = {
  request: 'The server sent an insecure address for the sign-in:',
  issuer: 'The server sent an insecure address for its authorization server:',
  authorization: 'The server sent an insecure address for the sign-in page:',
  token: 'The server sent an insecure address for requesting tokens:',
  registration: 'The server sent an insecure address for registering clients:',
}

/**
 * Parses an address that a server names for a sign-in.
 * @param serverUrl address of the MCP server. Only a server on this machine may name an `http` address, and only one
 *   on this machine
 * @throws ToolError address_refused
 */
export function requireSafeAddress(address: string, use: keyof typeof insecureTexts, serverUrl: string): URL {
  const url = URL.parse(address)
  const safe =
    url !== null &&
    url.username === '' &&
    url.password === '' &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url) && isLoopback(new URL(serverUrl))))
  if (safe) return url
  throw new ToolError(
    'address_refused',
    `${insecureTexts[use]} ${address.slice(0, 200)}`,
    'Signing in requires https. Report this to the operator of the server.',
  )
}

/** Creates a `fetch` for the requests of a sign-in: safe addresses, no redirects, limited size and time. */
export function createOAuthFetch(serverUrl: string, signal: AbortSignal): FetchLike {
  return async (address, init) => {
    const url = requireSafeAddress(String(address), 'request', serverUrl)
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(maxMs)]),
    })
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      throw new ToolError('address_refused', `${url.host} responded with a redirect, which is not followed.`)
    }
    const body = await readBody(response, url.host)
    // Responses with these statuses have no body.
    const empty = response.status === 204 || response.status === 205
    return new Response(empty ? null : body, { status: response.status, headers: response.headers })
  }
}

async function readBody(response: Response, host: string): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.byteLength
    if (size > maxBytes) throw new ToolError('too_large', `${host} responded with more than 1 MB.`)
    parts.push(part)
  }
  return new Uint8Array(Buffer.concat(parts))
}

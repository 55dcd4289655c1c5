import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { asSentence } from '../../base/asSentence.ts'
import { ToolError } from '../../../shared/errors.ts'
import { http } from '../../base/nodeHttp.ts'
import { safeErrorMessage } from '../serverFailureMessages.ts'

/** Receives the redirect at the end of a sign-in (RFC 8252, loopback interface). */
export interface RedirectListener {
  /** The redirect address to register. */
  url: string
  /**
   * Resolves with the authorization code. Responses with another state are ignored.
   * @throws ToolError if the sign-in was refused, or the redirect comes from another issuer
   */
  code(signal: AbortSignal): Promise<string>
  close(): void
}

interface ExpectedRedirect {
  state: string
  issuer: string
  /** The authorization server names itself in the redirect (RFC 9207). */
  namesIssuer: boolean
}

/** Listens on 127.0.0.1 on a free port, or on `port`. */
export async function listenForRedirect(expected: ExpectedRedirect, port = 0): Promise<RedirectListener> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  // The redirect can fail before `code` is called.
  promise.catch(() => undefined)
  const server = http.createServer((request, response) => {
    const query = redirectQuery(request, url)
    if (!query) return respond(response, 404, 'Not found.')
    // Any page that the user opens can send a request here. Only the sign-in page knows the state.
    if (query.get('state') !== expected.state)
      return respond(response, 400, 'This response does not belong to the sign-in that Tizona waits for.')
    try {
      resolve(readCode(query, expected))
      respond(response, 200, 'Tizona received the response. You can close this tab.')
    } catch (error) {
      reject(error)
      respond(response, 400, 'The sign-in failed. Tizona shows the reason. You can close this tab.')
    }
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((cause: unknown) => {
    throw new ToolError('io_error', `The sign-in cannot listen on port ${port}.`, 'Close the program that uses it.', {
      cause,
    })
  })
  // The address of a server that listens on a port is an object.
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`)
  return {
    url: url.href,
    async code(signal) {
      signal.throwIfAborted()
      const onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        return await promise
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    },
    close() {
      server.close()
      // A browser may keep its connection open.
      server.closeIdleConnections()
    },
  }
}

/** Returns the query of a redirect; undefined for other requests, including those through a name that was rebound. */
function redirectQuery(request: IncomingMessage, expected: URL): URLSearchParams | undefined {
  const url = URL.parse(request.url ?? '', expected.href)
  const isRedirect = request.method === 'GET' && request.headers.host === expected.host
  return isRedirect && url?.pathname === expected.pathname ? url.searchParams : undefined
}

function readCode(query: URLSearchParams, { issuer, namesIssuer }: ExpectedRedirect): string {
  const foreign = (why: string) =>
    new ToolError('refused', `The response does not belong to this sign-in: ${why}.`, 'Sign in again.')
  const from = query.get('iss')
  if (from === null ? namesIssuer : from !== issuer)
    throw foreign(from === null ? 'it does not name its issuer' : 'it comes from another issuer')
  const error = query.get('error')
  if (error !== null) {
    const why = safeErrorMessage(new Error(query.get('error_description') ?? error))
    throw new ToolError(
      'refused',
      `The sign-in was refused: ${asSentence(why)}`,
      'Sign in again, or ask the operator for access.',
    )
  }
  const code = query.get('code')
  if (code === null || code === '') throw foreign('it has no code')
  return code
}

function respond(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    .end(text)
}

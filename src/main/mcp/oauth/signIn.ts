import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exchangeAuthorization, registerClient, startAuthorization } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientInformationMixed } from '@modelcontextprotocol/sdk/shared/auth.js'
import { ToolError } from '../../../shared/errors.ts'
import { asSentence } from '../../base/asSentence.ts'
import { http } from '../../base/nodeHttp.ts'
import { safeErrorMessage } from '../serverFailureMessages.ts'
import { withTokens } from './authorization.ts'
import type { AuthorizationServer } from './authorizationServer.ts'
import type { Credentials } from './credentials.ts'
import { createOAuthFetch } from './oauthFetch.ts'
import { oauthFailure } from './signInFailures.ts'

interface SignInOptions {
  serverUrl: string
  at: AuthorizationServer
  /** A client registered by the server's operator. Default: Tizona registers itself. */
  registered?: { clientId: string; callbackPort?: number }
  /** Shows the sign-in page to the user. */
  onPage(url: string): Promise<void> | void
  signal: AbortSignal
}

/**
 * Signs in with the authorization code flow and PKCE: registers a client (RFC 7591), lets the user sign in, and
 * exchanges the code for tokens that are valid only for the server (RFC 8707).
 * @throws ToolError
 */
export async function signIn({ serverUrl, at, registered, onPage, signal }: SignInOptions): Promise<Credentials> {
  const { issuer, metadata, resource, scope } = at
  const fetchFn = createOAuthFetch(serverUrl, signal)
  const state = randomBytes(32).toString('base64url')
  const namesIssuer =
    'authorization_response_iss_parameter_supported' in metadata &&
    metadata.authorization_response_iss_parameter_supported === true
  const listener = await listenForRedirect({ state, issuer: metadata.issuer, namesIssuer }, registered?.callbackPort)
  try {
    const client = registered ? { client_id: registered.clientId } : await register(at, listener.url, fetchFn)
    const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
      metadata,
      clientInformation: client,
      redirectUrl: listener.url,
      scope,
      state,
      resource,
    })
    await onPage(authorizationUrl.href)
    const authorizationCode = await listener.code(signal)
    const tokens = await exchangeAuthorization(issuer, {
      metadata,
      clientInformation: client,
      authorizationCode,
      codeVerifier,
      redirectUri: listener.url,
      resource,
      fetchFn,
    })
    if (tokens.token_type.toLowerCase() !== 'bearer')
      throw new ToolError('server_error', `${at.host} issued a token of an unknown type, ${tokens.token_type}.`)
    return withTokens(
      {
        serverUrl,
        issuer,
        resource,
        tokenEndpoint: metadata.token_endpoint,
        revocationEndpoint: optionalText('revocation_endpoint' in metadata && metadata.revocation_endpoint),
        clientAuthentication: metadata.token_endpoint_auth_methods_supported,
        client: storedClient(client),
      },
      tokens,
    )
  } catch (error) {
    signal.throwIfAborted()
    throw oauthFailure(error, 'The sign-in failed.', at.host)
  } finally {
    listener.close()
  }
}

const optionalText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

async function register(
  { issuer, metadata, scope, host }: AuthorizationServer,
  redirectUrl: string,
  fetchFn: ReturnType<typeof createOAuthFetch>,
): Promise<OAuthClientInformationMixed> {
  if (metadata.registration_endpoint === undefined) {
    throw new ToolError(
      'server_error',
      `${host} does not let Tizona register itself.`,
      'Register a client there with the redirect address http://127.0.0.1:PORT/callback, and add "oauth": ' +
        '{ "clientId": "…", "callbackPort": PORT } to the definition of the server.',
    )
  }
  return registerClient(issuer, {
    metadata,
    scope,
    clientMetadata: {
      client_name: 'Tizona',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    fetchFn,
  })
}

function storedClient(client: OAuthClientInformationMixed): Credentials['client'] {
  const { client_id, client_secret } = client
  const method = 'token_endpoint_auth_method' in client ? client.token_endpoint_auth_method : undefined
  return { client_id, client_secret, token_endpoint_auth_method: method }
}

/**
 * Revokes the tokens at the authorization server (RFC 7009). Ignores failures, because the tokens are deleted locally
 * anyway.
 */
export async function revoke(credentials: Credentials, signal: AbortSignal): Promise<void> {
  const { revocationEndpoint, refreshToken, accessToken, client, serverUrl } = credentials
  if (revocationEndpoint === undefined) return
  const body = new URLSearchParams({ token: refreshToken ?? accessToken, client_id: client.client_id })
  if (client.client_secret !== undefined) body.set('client_secret', client.client_secret)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  await createOAuthFetch(serverUrl, signal)(revocationEndpoint, { method: 'POST', headers, body }).catch(
    () => undefined,
  )
}

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
async function listenForRedirect(expected: ExpectedRedirect, port = 0): Promise<RedirectListener> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  // The redirect can fail before `code` is called.
  promise.catch(() => undefined)
  const server = http.createServer((request, response) => {
    const query = redirectQuery(request, url)
    if (!query) return respond(response, 404, 'Not found.')
    // Any page that the user opens can send a request here. Only the sign-in page knows the state.
    if (query.get('state') !== expected.state)
      return respond(response, 400, 'This response does not belong to a pending sign-in.')
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
  // A server that listens on a port has an address object.
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

/** Returns the query of a redirect; undefined for other requests, including DNS rebinding. */
function redirectQuery(request: IncomingMessage, expected: URL): URLSearchParams | undefined {
  const url = URL.parse(request.url ?? '', expected.href)
  const isRedirect = request.method === 'GET' && request.headers.host === expected.host
  return isRedirect && url?.pathname === expected.pathname ? url.searchParams : undefined
}

function readCode(query: URLSearchParams, { issuer, namesIssuer }: ExpectedRedirect): string {
  const foreign = (reason: string) =>
    new ToolError('refused', `The response does not belong to this sign-in. ${reason}`, 'Sign in again.')
  const from = query.get('iss')
  if (from === null ? namesIssuer : from !== issuer)
    throw foreign(from === null ? 'It does not name its issuer.' : 'It comes from another issuer.')
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
  if (code === null || code === '') throw foreign('It has no code.')
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

import { randomBytes } from 'node:crypto'
import { exchangeAuthorization, registerClient, startAuthorization } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientInformationMixed } from '@modelcontextprotocol/sdk/shared/auth.js'
import { ToolError } from '../../../shared/errors.ts'
import { withTokens } from './authorization.ts'
import type { AuthorizationServer } from './authorizationServer.ts'
import type { Credentials } from './credentials.ts'
import { createOAuthFetch } from './oauthFetch.ts'
import { listenForRedirect } from './redirectListener.ts'
import { oauthFailure } from './signInFailures.ts'

interface SignInOptions {
  serverUrl: string
  at: AuthorizationServer
  /** A client that the operator of the server has registered. Default: Tizona registers itself. */
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
    throw oauthFailure(error, 'The sign-in', at.host)
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

/** Asks the authorization server to end the tokens (RFC 7009). Failures are ignored, since they are deleted here. */
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

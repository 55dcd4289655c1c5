import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/sdk/client/auth.js'
import type {
  AuthorizationServerMetadata,
  OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import { checkResourceAllowed } from '@modelcontextprotocol/sdk/shared/auth-utils.js'
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'
import { ToolError } from '../../../shared/errors.ts'
import { requireSafeAddress } from './oauthFetch.ts'
import { addRequiredScopes, requestedScopes } from './scopes.ts'
import { oauthFailure } from './signInFailures.ts'

/** Where a user signs in for an MCP server. */
export interface AuthorizationServer {
  issuer: string
  metadata: AuthorizationServerMetadata
  /** Resource indicator (RFC 8707): the tokens are valid only for this server. */
  resource: string
  scope: string | undefined
  /** Host of the page that the browser opens. */
  host: string
}

/**
 * Finds the authorization server of an MCP server: the challenge of the server, its resource metadata (RFC 9728), and
 * the metadata of the authorization server (RFC 8414 or OpenID Connect).
 * @param requiredScopes see `Credentials`
 * @throws ToolError if the server has none, or if its metadata contradict each other
 */
export async function findAuthorizationServer(
  serverUrl: string,
  fetch: FetchLike,
  requiredScopes?: string,
): Promise<AuthorizationServer> {
  const { host: serverHost } = new URL(serverUrl)
  try {
    const { resourceMetadataUrl, scope } = await readChallenge(serverUrl, fetch)
    const described = await resourceMetadata(serverUrl, resourceMetadataUrl, fetch)
    const issuer = described?.authorization_servers?.[0] ?? new URL('/', serverUrl).href
    requireSafeAddress(issuer, 'issuer', serverUrl)
    const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch })
    if (!metadata) {
      throw new ToolError(
        'server_error',
        `${serverHost} does not offer sign-in: ${new URL(issuer).host} does not specify an authorization server.`,
        'If it needs a key, add it as a header, e.g. Authorization with `Bearer ${input:token}`.',
      )
    }
    checkMetadata(metadata, issuer, serverUrl)
    return {
      issuer,
      metadata,
      resource: described?.resource ?? withoutFragment(serverUrl),
      scope: addRequiredScopes(requestedScopes(scope, described?.scopes_supported), requiredScopes ?? ''),
      host: new URL(metadata.authorization_endpoint).host,
    }
  } catch (error) {
    throw oauthFailure(error, 'The sign-in could not be looked up.', serverHost)
  }
}

/** Sends a first request without a token. The server responds with a challenge that may name its metadata. */
async function readChallenge(serverUrl: string, fetch: FetchLike) {
  const params = {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'tizona', version: '' },
  }
  const response = await fetch(serverUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  })
  return response.status === 401 || response.status === 403 ? extractWWWAuthenticateParams(response) : {}
}

/** @returns undefined if the server has no such metadata; older servers are their own authorization server */
async function resourceMetadata(
  serverUrl: string,
  named: URL | undefined,
  fetch: FetchLike,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  if (named && named.origin !== new URL(serverUrl).origin)
    throw refused(`The server refers to ${named.host} for its own description.`)
  let status = 0
  const observed: FetchLike = async (address, init) => {
    const response = await fetch(address, init)
    status = response.status
    return response
  }
  let found
  try {
    found = await discoverOAuthProtectedResourceMetadata(serverUrl, { resourceMetadataUrl: named }, observed)
  } catch (error) {
    if (!named && status >= 400 && status < 500) return undefined
    throw error
  }
  if (!checkResourceAllowed({ requestedResource: serverUrl, configuredResource: found.resource }))
    throw refused(`The server describes another server, ${found.resource.slice(0, 200)}.`)
  return found
}

/** Checks the rules of RFC 8414 and of the MCP authorization specification that protect the user. */
function checkMetadata(metadata: AuthorizationServerMetadata, issuer: string, serverUrl: string): void {
  // Otherwise a server could have the user sign in at one issuer and send the code to another.
  if (withoutSlash(metadata.issuer) !== withoutSlash(issuer))
    throw refused(`The authorization server ${issuer} claims to be ${metadata.issuer.slice(0, 200)}.`)
  requireSafeAddress(metadata.authorization_endpoint, 'authorization', serverUrl)
  requireSafeAddress(metadata.token_endpoint, 'token', serverUrl)
  if (metadata.registration_endpoint !== undefined)
    requireSafeAddress(metadata.registration_endpoint, 'registration', serverUrl)
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true)
    throw refused(`The authorization server ${issuer} does not support PKCE (S256), which protects the sign-in.`)
}

function refused(message: string): ToolError {
  return new ToolError('refused', message, 'Do not sign in. Report this to the operator of the server.')
}

const withoutSlash = (address: string): string => (URL.parse(address)?.href ?? address).replace(/\/$/, '')

function withoutFragment(address: string): string {
  const url = new URL(address)
  url.hash = ''
  return url.href
}

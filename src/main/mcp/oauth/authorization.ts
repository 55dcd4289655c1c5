import { refreshAuthorization } from '@modelcontextprotocol/sdk/client/auth.js'
import {
  InvalidClientError,
  InvalidGrantError,
  UnauthorizedClientError,
} from '@modelcontextprotocol/sdk/server/auth/errors.js'
import type { AuthorizationServerMetadata, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { SequencerByKey } from '../../../shared/async/sequencer.ts'
import { readCredentials, writeCredentials, type Credentials, type SecretAccess } from './credentials.ts'
import { createOAuthFetch } from './oauthFetch.ts'
import { addRequiredScopes } from './scopes.ts'
import { oauthFailure } from './signInFailures.ts'

/** The access token of a signed-in server. */
export interface Authorization {
  /** Returns a token that is valid for some time; undefined if the user is not signed in. */
  token(): Promise<string | undefined>
  /**
   * Replaces a token that the server has refused. @returns whether there is a new one. Without one, the user has to
   * sign in again
   * @throws ToolError if the authorization server fails; the user stays signed in
   */
  renew(refused: string): Promise<boolean>
  /** Stores permissions that the server has required, for the next sign-in. */
  requireScopes(scopes: string): Promise<void>
}

/** Milliseconds before the expiry of a token at which it is replaced. */
const renewalMargin = 30_000

// Several windows of one process use the same tokens, and a refresh token is often valid only once.
const renewals = new SequencerByKey<string>()

/** @param id of the secret (`credentialsId`) */
export function createAuthorization(
  secrets: SecretAccess,
  id: string,
  serverUrl: string,
  signal: AbortSignal,
): Authorization {
  const read = (fresh: boolean) => readCredentials(secrets, id, serverUrl, fresh)

  const renew = (refused: string): Promise<boolean> =>
    renewals.queue(id, async () => {
      const stored = await read(true)
      if (!stored) return false
      // Another request, window or process was faster.
      if (stored.accessToken !== refused) return true
      if (stored.refreshToken === undefined) return false
      try {
        const tokens = await refreshAuthorization(stored.issuer, {
          metadata: endpoints(stored),
          clientInformation: stored.client,
          refreshToken: stored.refreshToken,
          resource: stored.resource,
          fetchFn: createOAuthFetch(serverUrl, signal),
        })
        await writeCredentials(secrets, id, withTokens(stored, tokens))
        return true
      } catch (error) {
        if (!isFinal(error))
          throw oauthFailure(error, 'The sign-in could not be renewed.', new URL(stored.tokenEndpoint).host)
        const now = await read(true)
        // Another process may have used the refresh token at the same moment.
        if (now && now.refreshToken !== stored.refreshToken) return true
        await writeCredentials(secrets, id, null)
        return false
      }
    })

  return {
    async token() {
      const stored = await read(false)
      if (!stored) return undefined
      const ends = stored.expiresAt !== undefined && stored.expiresAt - Date.now() < renewalMargin
      if (!ends || stored.refreshToken === undefined) return stored.accessToken
      try {
        await renew(stored.accessToken)
      } catch (error) {
        // While the authorization server fails, the current token is used until it expires.
        if ((stored.expiresAt ?? 0) > Date.now()) return stored.accessToken
        throw error
      }
      return (await read(false))?.accessToken
    },
    renew,
    requireScopes: (scopes) =>
      renewals.queue(id, async () => {
        const stored = await read(true)
        if (!stored) return
        const requiredScopes = addRequiredScopes(stored.requiredScopes, scopes)
        if (requiredScopes !== stored.requiredScopes) await writeCredentials(secrets, id, { ...stored, requiredScopes })
      }),
  }
}

/** Whether the refresh token or the client is no longer valid. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof InvalidGrantError ||
    error instanceof InvalidClientError ||
    error instanceof UnauthorizedClientError
  )
}

/** Returns the credentials with new tokens. A refresh token stays if the server returns none. */
export function withTokens(before: Omit<Credentials, 'accessToken'>, tokens: OAuthTokens): Credentials {
  return {
    ...before,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? before.refreshToken,
    expiresAt: tokens.expires_in === undefined ? undefined : Date.now() + tokens.expires_in * 1000,
  }
}

/** Returns the metadata for a token request. */
function endpoints({ issuer, tokenEndpoint, clientAuthentication }: Credentials): AuthorizationServerMetadata {
  return {
    issuer,
    authorization_endpoint: tokenEndpoint,
    token_endpoint: tokenEndpoint,
    response_types_supported: ['code'],
    token_endpoint_auth_methods_supported: clientAuthentication,
  }
}

import { OAuthError, ServerError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { ToolError } from '../../../shared/errors.ts'
import { asSentence } from '../../base/asSentence.ts'
import { safeErrorMessage } from '../serverFailureMessages.ts'

/** Thrown if a server requires a sign-in. */
export class SignInRequired extends ToolError {
  constructor(message: string, next: string) {
    super('server_error', message, next, { reason: 'sign_in_required' })
  }
}

/** Explains a failed request to an authorization server. @param failed the sentence that begins the message */
export function oauthFailure(error: unknown, failed: string, host: string): Error {
  if (error instanceof ToolError || (error instanceof Error && error.name === 'AbortError')) return error
  if (error instanceof OAuthError && !(error instanceof ServerError)) {
    const why = safeErrorMessage(new Error(error.message === '' ? error.errorCode : error.message))
    return new ToolError('server_error', `${failed} ${host} refused it (${error.errorCode}: ${why}).`, 'Sign in again.')
  }
  const status = /^HTTP (\d{3})/.exec(error instanceof Error ? error.message : '')?.[1]
  const message =
    status === undefined
      ? `${failed} The request to ${host} failed: ${asSentence(safeErrorMessage(error))}`
      : `${failed} ${host} responded with status ${status}.`
  return new ToolError('network_error', message, 'Try again later.')
}

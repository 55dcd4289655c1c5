import { OAuthError, ServerError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { ToolError } from '../../../shared/errors.ts'
import { safeErrorMessage } from '../serverFailureMessages.ts'

/** Thrown if a server requires a sign-in. */
export class SignInRequired extends ToolError {
  constructor(message: string, next: string) {
    super('server_error', message, next, { reason: 'sign_in_required' })
  }
}

/** Explains a failed request to an authorization server. @param what starts the sentence, e.g. "The sign-in" */
export function oauthFailure(error: unknown, what: string, host: string): Error {
  if (error instanceof ToolError || (error instanceof Error && error.name === 'AbortError')) return error
  if (error instanceof OAuthError && !(error instanceof ServerError)) {
    const why = safeErrorMessage(new Error(error.message === '' ? error.errorCode : error.message))
    return new ToolError(
      'server_error',
      `${what} failed: ${host} refused it (${error.errorCode}: ${why}).`,
      'Sign in again.',
    )
  }
  const why = /^HTTP (\d{3})/.exec(error instanceof Error ? error.message : '')
  const reason = why ? `it responded with status ${why[1]}` : safeErrorMessage(error)
  return new ToolError('network_error', `${what} failed at ${host}: ${reason}.`, 'Try again later.')
}

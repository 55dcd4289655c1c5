const secretKey = 'tizona.secret'

/** The window cannot join the session. The message says what the user can do. */
export class SessionRefused extends Error {
  override readonly name = 'SessionRefused'
}

/**
 * The secret of this session. A one-time token in the address (`#token=…`) is exchanged for it and removed from the
 * address; afterwards it lives in this tab's sessionStorage only, never in a cookie (cookies cross ports).
 * Throws `SessionRefused` when there is neither, or when the token was used already.
 */
export async function sessionSecret(): Promise<string> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token) {
    history.replaceState(null, '', location.pathname + location.search)
    const response = await fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    if (response.ok) {
      const { secret } = (await response.json()) as { secret: string } // The server's answer, same origin.
      sessionStorage.setItem(secretKey, secret)
      return secret
    }
    // A token works once: opening the same address again in this tab may still find the secret of the first time.
  }
  const secret = sessionStorage.getItem(secretKey)
  if (secret) return secret
  throw new SessionRefused(
    token
      ? 'The address was used already or belongs to an earlier start of Tizona.'
      : 'This page was opened without its one-time token.',
  )
}

export function forgetSecret(): void {
  sessionStorage.removeItem(secretKey)
}

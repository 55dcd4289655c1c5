const secretKey = 'tizona.secret'

/** The window cannot join the session. The message tells the user why. */
export class SessionRefused extends Error {
  override readonly name = 'SessionRefused'
}

/**
 * Returns the secret of this session. Exchanges the one-time token in the URL (`#token=…`) for it and removes the token
 * from the URL. The secret is stored in the tab's sessionStorage, because a cookie would be sent to other ports of the
 * host.
 * @throws SessionRefused if there is no token and no stored secret, or if the token was already used
 */
export async function sessionSecret(): Promise<string> {
  const token = tokenInAddress()
  if (token) {
    history.replaceState(null, '', location.pathname + location.search)
    const response = await fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    if (response.ok) {
      const { secret } = (await response.json()) as { secret: string } // From Tizona's server, same origin.
      sessionStorage.setItem(secretKey, secret)
      return secret
    }
    // A token works once. If this tab opened the URL before, the secret is still stored.
  }
  const secret = sessionStorage.getItem(secretKey)
  if (secret) return secret
  throw new SessionRefused(
    token
      ? 'This link was already used or is from an earlier run of Tizona.'
      : 'The address of this page has no one-time token.',
  )
}

function tokenInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('token')
}

/** Whether the page's URL has a one-time token that was not exchanged yet. */
export function hasToken(): boolean {
  return Boolean(tokenInAddress())
}

export function forgetSecret(): void {
  sessionStorage.removeItem(secretKey)
}

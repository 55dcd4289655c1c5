/** Maximum characters of what a server requires. */
const maxLength = 2000

/** Permissions that servers have required beyond those of their sign-in, by the address of the server. */
const required = new Map<string, string>()

/** Records that a server has refused a request for lack of permissions, so that the next sign-in asks for them. */
export function requireScopes(serverUrl: string, scopes: string): void {
  // A server names only those of the refused request, and other requests need the earlier ones.
  const all = withRequiredScopes(serverUrl, scopes) ?? ''
  if (all.length <= maxLength) required.set(serverUrl, all)
}

/** Adds what the server has required to the scopes of a sign-in. Both are separated by spaces. */
export function withRequiredScopes(serverUrl: string, scopes: string | undefined): string | undefined {
  const all = [scopes, required.get(serverUrl)].flatMap((text) => text?.split(' ') ?? []).filter(Boolean)
  return all.length === 0 ? undefined : [...new Set(all)].join(' ')
}

/** Maximum characters of permissions: more would be no text that a user can read. */
const maxLength = 2000

/** Joins lists of permissions, each separated by spaces. @returns undefined if there are none */
function joinScopes(...lists: (string | undefined)[]): string | undefined {
  const all = lists.flatMap((list) => list?.split(' ') ?? []).filter((scope) => scope !== '')
  return all.length === 0 ? undefined : [...new Set(all)].join(' ')
}

/**
 * Returns the permissions to ask for: those that a server requires for a request, else those that it offers.
 * @returns undefined if they are too long, so that the authorization server decides
 */
export function requestedScopes(
  required: string | undefined,
  offered: readonly string[] | undefined,
): string | undefined {
  const all = joinScopes(required ?? offered?.join(' '))
  return all === undefined || all.length <= maxLength ? all : undefined
}

/**
 * Adds permissions that a server has required to those of earlier requests: it names only what the refused request
 * needs. What would be too long is left out.
 */
export function addRequiredScopes(before: string | undefined, required: string): string | undefined {
  const all = joinScopes(before, required)
  return all === undefined || all.length <= maxLength ? all : before
}

/** Maximum characters of permissions. Users would not read more. */
const maxLength = 2000

/** Joins lists of permissions, each separated by spaces. @returns undefined if there are none */
function joinScopes(...lists: (string | undefined)[]): string | undefined {
  const all = lists.flatMap((list) => list?.split(' ') ?? []).filter((scope) => scope !== '')
  return all.length === 0 ? undefined : [...new Set(all)].join(' ')
}

/**
 * Returns the permissions to request: those that a server requires for a request, otherwise those that it offers.
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
 * Adds permissions that a server has required to those of earlier requests, because it names only those that the
 * refused request needs. Leaves out additions that would be too long.
 */
export function addRequiredScopes(before: string | undefined, required: string): string | undefined {
  const all = joinScopes(before, required)
  return all === undefined || all.length <= maxLength ? all : before
}

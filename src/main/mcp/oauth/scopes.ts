/** Maximum characters of what a server requires. */
const maxLength = 2000

/** Joins lists of permissions, each separated by spaces. @returns undefined if there are none */
export function joinScopes(...lists: (string | undefined)[]): string | undefined {
  const all = lists.flatMap((list) => list?.split(' ') ?? []).filter((scope) => scope !== '')
  return all.length === 0 ? undefined : [...new Set(all)].join(' ')
}

/**
 * Adds permissions that a server has required to those of earlier requests: it names only what the refused request
 * needs. What would be too long is left out.
 */
export function addRequiredScopes(before: string | undefined, required: string): string | undefined {
  const all = joinScopes(before, required)
  return all === undefined || all.length <= maxLength ? all : before
}

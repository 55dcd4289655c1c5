/** Characters in which the end of a transform is searched. */
const maxTransform = 1000

/**
 * Pure: a snippet's body with `${1}` in place of `${1/PATTERN/FORMAT/FLAGS}`. Monaco matches the pattern with texts of any
 * length, and nothing bounds it. Where a transform does not end, the rest of it becomes text.
 */
export function withoutTransforms(body: string): string {
  // An escaped character is skipped, as Monaco does.
  const next = /\\.|\$\{(\w+)\//gs
  let result = ''
  let end = 0
  for (let match = next.exec(body); match; match = next.exec(body)) {
    const [all, name] = match
    if (name === undefined) continue
    const slash = match.index + all.length - 1
    result += `${body.slice(end, match.index)}\${${name}}`
    end = transformEnd(body, slash) ?? slash
    next.lastIndex = end
  }
  return result + body.slice(end)
}

/** Returns the position after a transform that begins with the slash at `start`. */
function transformEnd(body: string, start: number): number | null {
  let slashes = 0
  for (let at = start; at < Math.min(body.length, start + maxTransform); at++) {
    if (body[at] === '\\') at++
    // `${1:/upcase}` in the format
    else if (body[at] === '/' && body[at - 1] !== ':') slashes++
    else if (body[at] === '}' && slashes === 3) return at + 1
  }
  return null
}

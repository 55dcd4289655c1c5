import { lastNamePattern, matchesName, matchesPath, parsePathPattern, type MatchOptions } from './wildcard.ts'

/** Maximum number of brace alternatives in a glob, and of all their characters. */
const maxAlternatives = 256
const maxCharacters = 16_384

export interface GlobOptions extends MatchOptions {
  /** Default true. */
  caseSensitive?: boolean
}

/**
 * Compiles a glob for relative paths with `/` separators: the syntax of `parsePathPattern` plus nested braces
 * (`{a,b}`). All other characters, including extended globs, are literal. Matching takes at most glob length × path
 * length steps.
 * @returns undefined if the braces have too many alternatives
 */
export function compileGlob(
  glob: string,
  { caseSensitive = true, ...options }: GlobOptions = {},
): ((path: string) => boolean) | undefined {
  const alternatives = expandBraces(caseSensitive ? glob : glob.toLowerCase())
  // Alternatives that match nothing are dropped.
  const patterns = alternatives?.flatMap((each) => parsePathPattern(each, !caseSensitive) ?? [])
  if (patterns === undefined) return undefined
  const names = patterns.flatMap((pattern) => lastNamePattern(pattern) ?? [])
  const matchesAll = (path: string): boolean => {
    const segments = (caseSensitive ? path : path.toLowerCase()).split('/')
    return patterns.some((pattern) => matchesPath(pattern, segments, options))
  }
  if (options.tally || names.length !== patterns.length) return matchesAll
  // Splitting a path into names takes most of the time.
  const matchesLast = (path: string): boolean => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const compared = caseSensitive ? name : name.toLowerCase()
    return names.some((pattern) => matchesName(pattern, compared))
  }
  if (options.dot !== false) return matchesLast
  // Leading dots only matter if the path contains one.
  return (path) => (path.startsWith('.') || path.includes('/.') ? matchesAll(path) : matchesLast(path))
}

/** Expands the braces of a glob. Braces without a comma are literal. Undefined if there are too many alternatives. */
export function expandBraces(glob: string): string[] | undefined {
  const done: string[] = []
  const open = [glob]
  let characters = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next)
    if (group === undefined) {
      done.push(next)
      characters += next.length
    } else {
      const { start, end, choices } = group
      // Reversed, because the stack pops from the end and the order must be kept.
      for (const choice of choices.toReversed()) open.push(next.slice(0, start) + choice + next.slice(end))
    }
    if (done.length + open.length > maxAlternatives || characters > maxCharacters) return undefined
  }
  return done
}

/** Finds the first group of braces that contains a comma at its own level. */
function firstGroup(glob: string): { start: number; end: number; choices: string[] } | undefined {
  const starts: { at: number; commas: number[] }[] = []
  let outermost: { start: number; end: number; choices: string[] } | undefined
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at]
    if (char === '\\') at++
    else if (char === '[') at = endOfClass(glob, at)
    else if (char === '{') starts.push({ at, commas: [] })
    else if (char === ',') starts.at(-1)?.commas.push(at)
    else if (char === '}') {
      const group = starts.pop()
      if (group !== undefined && group.commas.length > 0) {
        const edges = [group.at, ...group.commas, at]
        const choices = edges.slice(1).map((edge, index) => glob.slice((edges[index] ?? 0) + 1, edge))
        outermost = { start: group.at, end: at + 1, choices }
      }
      if (starts.length === 0 && outermost !== undefined) return outermost
    }
  }
  return outermost
}

/** Returns the index of the bracket that closes a class, or of the opening one if none does. */
function endOfClass(glob: string, at: number): number {
  let from = at + 1
  if (glob[from] === '!' || glob[from] === '^') from++
  const end = glob.indexOf(']', from + 1)
  return end < 0 ? at : end
}

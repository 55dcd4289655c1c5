/** A parsed regular expression. */
export type Node =
  /** A character, escape or class. */
  | { kind: 'atom'; source: string }
  | { kind: 'start' }
  /** Another condition of one place, such as `$` or `\b`. */
  | { kind: 'empty' }
  /** What must follow or precede, or must not. */
  | { kind: 'condition'; item: Node; behind: boolean }
  | { kind: 'repeat'; item: Node; least: number; most: number }
  | { kind: 'sequence'; items: readonly Node[] }
  | { kind: 'choice'; options: readonly Node[] }

/**
 * Pure: parses a valid regular expression without the flag `v`.
 * @throws Error if it has back references or flags of a group, or is nested too deeply
 */
export function readExpressionTree(pattern: string, flags: string): Node {
  const unicode = flags.includes('u')
  let at = 0
  const choice = (): Node => {
    const options = [sequence()]
    while (pattern[at] === '|') {
      at++
      options.push(sequence())
    }
    return { kind: 'choice', options }
  }
  const sequence = (): Node => {
    const items: Node[] = []
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') items.push(repeated(single()))
    return { kind: 'sequence', items }
  }
  const repeated = (item: Node): Node => {
    const quantifier = /^(?:([*+?])|\{(\d+)(?:,(\d*))?\})\??/.exec(pattern.slice(at, at + 30))
    if (!quantifier) return item
    at += quantifier[0].length
    const [, sign, low, high] = quantifier
    if (sign === '?') return { kind: 'repeat', item, least: 0, most: 1 }
    if (sign !== undefined) return { kind: 'repeat', item, least: sign === '+' ? 1 : 0, most: Number.POSITIVE_INFINITY }
    const least = Number(low)
    const most = high === undefined ? least : high === '' ? Number.POSITIVE_INFINITY : Number(high)
    return { kind: 'repeat', item, least, most }
  }
  const single = (): Node => {
    if (pattern[at] === '(') return group()
    const source = pattern.slice(at, at + atomLength(pattern.slice(at, at + 5000), unicode))
    at += source.length
    if (source === '^') return { kind: 'start' }
    if (source === '$' || source === String.raw`\b` || source === String.raw`\B`) return { kind: 'empty' }
    if (/^\\[1-9k]/.test(source) || (source === String.raw`\0` && /\d/.test(pattern[at] ?? '')))
      throw new Error('Back references are not read.')
    return { kind: 'atom', source }
  }
  const group = (): Node => {
    const opening = /^\((?:\?(?:<?[=!]|:|<[^>=!][^>]*>)|(?!\?))/.exec(pattern.slice(at, at + 200))?.[0]
    if (opening === undefined) throw new Error('This group is not read.')
    at += opening.length
    const item = choice()
    if (pattern[at] !== ')') throw new Error('A group does not end.')
    at++
    return /[=!]$/.test(opening) ? { kind: 'condition', item, behind: opening.startsWith('(?<') } : item
  }
  const tree = choice()
  if (at < pattern.length) throw new Error('The expression was not read to its end.')
  return tree
}

/** Returns the length of the character, escape or class at the start of `rest`. */
function atomLength(rest: string, unicode: boolean): number {
  if (rest.startsWith('\\')) {
    const escape = unicode
      ? /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|.)/su
      : /^\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|.)/s
    return escape.exec(rest)?.[0].length ?? 1
  }
  if (!rest.startsWith('[')) return unicode && (rest.codePointAt(0) ?? 0) > 0xff_ff ? 2 : 1
  let at = 1
  while (at < rest.length && rest[at] !== ']') at += rest[at] === '\\' ? 2 : 1
  return at + 1
}

/** A parsed regular expression, reduced to what sample texts need. */
type Node =
  | { kind: 'atom'; source: string }
  | { kind: 'sequence'; items: Node[] }
  | { kind: 'choice'; options: Node[] }
  | { kind: 'repeat'; item: Node; many: boolean }
  | { kind: 'empty' }

/** Characters that are tried for an atom such as `\w` or `[^"]`. */
const candidates = 'a0 A_-./*"\'(){}[]<>;:=#@!,\\|&%$+?~^`\té中x1'.split('')
/** Maximum sample texts of a node. */
const maxSamples = 6
const maxTexts = 300
/** Ends of texts, so that the expression fails after the repeated part. */
const ends = ['', '\u0001', ' !', '\n']

/**
 * Pure: texts on which a backtracking regular expression takes long if there are any, at most `length` long: a text that
 * leads to a repetition, and what it repeats, many times.
 */
export function attackTexts(pattern: string, flags: string, length: number): string[] {
  const tree = parse(pattern)
  const texts = new Set<string>()
  const samplesOf = sampler(flags)
  const add = (prefix: string, pump: string) => {
    if (pump === '') return
    for (const end of ends) {
      const room = length - prefix.length - end.length
      if (room > 0 && texts.size < maxTexts)
        texts.add(prefix + pump.repeat(Math.ceil(room / pump.length)).slice(0, room) + end)
    }
  }
  const visit = (node: Node, prefixes: readonly string[]): void => {
    switch (node.kind) {
      case 'repeat':
        visit(node.item, prefixes)
        if (node.many)
          for (const pump of samplesOf(node.item)) for (const prefix of prefixes.slice(0, 2)) add(prefix, pump)
        break
      case 'sequence': {
        let before = prefixes
        for (const [index, item] of node.items.entries()) {
          visit(item, before)
          // Neighboring repetitions share what they match.
          const next = node.items[index + 1]
          if (item.kind === 'repeat' && next?.kind === 'repeat')
            for (const pump of samplesOf(next.item)) add(before[0] ?? '', pump)
          const samples = samplesOf(item)
          before = before.flatMap((prefix) => samples.map((sample) => prefix + sample)).slice(0, maxSamples)
        }
        break
      }
      case 'choice':
        for (const option of node.options) visit(option, prefixes)
        break
      case 'atom':
      case 'empty':
    }
  }
  visit(tree, [''])
  for (const plain of ['a', ' ', '0', '(', '"', '/*', 'a ', '\t']) add('', plain)
  return [...texts]
}

/** Returns a function that returns texts which a node matches, as far as they are easy to find. */
function sampler(flags: string): (node: Node) => string[] {
  const known = new Map<string, string[]>()
  const ofAtom = (source: string): string[] => {
    const stored = known.get(source)
    if (stored) return stored
    let found: string[] = []
    try {
      const atom = new RegExp(`^(?:${source})$`, flags)
      found = [...source.split(''), ...candidates].filter((each) => atom.test(each)).slice(0, 2)
    } catch {
      // A part of an expression that is none by itself, such as a back reference.
    }
    const samples = found.length === 0 ? [''] : [...new Set(found)]
    known.set(source, samples)
    return samples
  }
  const samplesOf = (node: Node): string[] => {
    switch (node.kind) {
      case 'atom':
        return ofAtom(node.source)
      case 'repeat':
        return samplesOf(node.item)
      case 'choice':
        return [...new Set(node.options.flatMap((option) => samplesOf(option).slice(0, 2)))].slice(0, maxSamples)
      case 'sequence': {
        let texts = ['']
        for (const item of node.items) {
          const samples = samplesOf(item)
          texts = texts.flatMap((text) => samples.map((sample) => text + sample)).slice(0, maxSamples)
        }
        return texts
      }
      case 'empty':
        return ['']
    }
  }
  return samplesOf
}

/** Parses a valid regular expression. */
function parse(pattern: string): Node {
  let at = 0
  const choice = (): Node => {
    const options = [sequence()]
    while (pattern[at] === '|') {
      at++
      options.push(sequence())
    }
    return options.length === 1 ? (options[0] ?? { kind: 'empty' }) : { kind: 'choice', options }
  }
  const sequence = (): Node => {
    const items: Node[] = []
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') items.push(repeated(atom()))
    return { kind: 'sequence', items }
  }
  const repeated = (item: Node): Node => {
    const quantifier = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(pattern.slice(at, at + 20))
    if (!quantifier) return item
    at += quantifier[0].length
    const [, sign, least, comma, most] = quantifier
    const upper = comma === undefined ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most)
    return { kind: 'repeat', item, many: sign === '*' || sign === '+' || (sign === undefined && upper > 8) }
  }
  const atom = (): Node => {
    if (pattern[at] === '(') return group()
    const length = atomLength(pattern.slice(at))
    const source = pattern.slice(at, at + length)
    at += length
    const isAnchor = source === '^' || source === '$' || source === String.raw`\b` || source === String.raw`\B`
    return isAnchor ? { kind: 'empty' } : { kind: 'atom', source }
  }
  const group = (): Node => {
    const [opening] = /^\((?:\?(?:<?[=!]|:|<\w+>|[\w-]*:))?/.exec(pattern.slice(at, at + 60)) ?? ['(']
    at += opening.length
    const inner = choice()
    at++
    // What a negative condition matches must not follow, so it is repeated by itself but not part of other texts.
    return opening.endsWith('!') ? { kind: 'choice', options: [{ kind: 'empty' }, inner] } : inner
  }
  return choice()
}

/** Returns the length of the character, escape or class at the start of `rest`. */
function atomLength(rest: string): number {
  if (rest.startsWith('\\')) {
    return (
      /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|k<\w+>|.)/su.exec(rest)?.[0].length ?? 1
    )
  }
  if (!rest.startsWith('[')) return (rest.codePointAt(0) ?? 0) > 0xff_ff ? 2 : 1
  let at = 1
  if (rest[at] === '^') at++
  while (at < rest.length && rest[at] !== ']') at += rest[at] === '\\' ? 2 : 1
  return at + 1
}

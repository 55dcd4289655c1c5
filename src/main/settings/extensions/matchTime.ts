import { readExpressionTree, type Node } from './expressionTree.ts'

/** Ranges of UTF-16 units, in order. */
type Units = readonly (readonly [number, number])[]

/** Maximum characters and classes of an expression, and pairs that may follow each other. */
const maxPositions = 400
const maxEdges = 20_000
/** Maximum ways to read a text of which none repeats anything. */
const maxReadings = 256

/** Thrown inside if nothing is proved. */
class Unproved extends Error {}

/**
 * Pure: an exponent `n` so that a match takes at most time proportional to the `n`th power of the text's length: 1 is
 * linear. Infinite if there is no such number, or if it is not proved.
 *
 * A backtracking matcher takes as many steps as an expression has ways to read the starts of a text. These are the
 * paths of its automaton (one position for each character or class). Their number grows with each pair of loops that
 * can share a text: Weber and Seidl, On the degree of ambiguity of finite automata.
 */
export function matchExponent(pattern: string, flags: string): number {
  try {
    if (flags.includes('v')) return Number.POSITIVE_INFINITY
    return exponentOf(withoutTail(readExpressionTree(pattern, flags)), flags, true)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Pure: whether an expression is proved to read at least one character wherever it matches. */
export function readsSomething(pattern: string, flags: string): boolean {
  const reads = (node: Node): boolean => {
    switch (node.kind) {
      case 'atom':
        return true
      case 'repeat':
        return node.least > 0 && reads(node.item)
      case 'sequence':
        return node.items.some(reads)
      case 'choice':
        return node.options.every(reads)
      case 'start':
      case 'empty':
      case 'condition':
        return false
    }
  }
  try {
    return !flags.includes('v') && reads(readExpressionTree(pattern, flags))
  } catch {
    return false
  }
}

/** Nothing can fail after a repetition at the end, so it takes its text once. */
function withoutTail(node: Node): Node {
  if (node.kind === 'choice') return { kind: 'choice', options: node.options.map(withoutTail) }
  if (node.kind === 'repeat' && node.item.kind === 'atom' && node.most === Number.POSITIVE_INFINITY)
    return { ...node, most: node.least }
  if (node.kind !== 'sequence') return node
  const items = [...node.items]
  for (;;) {
    const last = items.pop()
    if (!last) return { kind: 'sequence', items }
    const rest = withoutTail(last)
    if (rest.kind !== 'repeat' || rest.most > 0) return { kind: 'sequence', items: [...items, rest] }
  }
}

interface Part {
  /** Positions that can be read first and last, once for each way. */
  firsts: number[]
  lasts: number[]
  /** Number of ways to read nothing. */
  empty: number
}

interface Automaton {
  units: Units[]
  followers: number[][]
  /** Positions at which a match can begin anywhere, and only at the start of the text. */
  anywhere: number[]
  atStart: number[]
  /** Exponent of the conditions in it. */
  conditions: number
}

function exponentOf(tree: Node, flags: string, search: boolean): number {
  const automaton = build(tree, flags, search)
  const { units, followers, anywhere, atStart, conditions } = automaton
  // A search begins at every character: a loop before the expression that reads everything.
  const search0 = units.length
  const nodes = [...followers, anywhere.length > 0 ? [search0, ...anywhere] : []]
  const classes: Units[] = [...units, [[0, 0xff_ff]]]
  const begins = anywhere.length > 0 ? [search0, ...atStart] : atStart
  return loopExponent(nodes, classes, begins) + conditions
}

/** The exponent of a graph of positions. */
function loopExponent(followers: readonly number[][], units: readonly Units[], begins: readonly number[]): number {
  const reach = followers.map((_, from) => reachable(from, followers))
  const isLoop = (at: number) => reach[at]?.has(at) === true
  const loopOf = followers.map((_, at) =>
    isLoop(at) ? Math.min(at, ...[...(reach[at] ?? [])].filter((other) => reach[other]?.has(at))) : -1,
  )
  const loops = new Map<number, number[]>()
  for (const [at, loop] of loopOf.entries()) if (loop >= 0) loops.set(loop, [...(loops.get(loop) ?? []), at])
  for (const [loop, members] of loops) {
    // Two ways to read one text in a loop double with each round.
    for (const at of members)
      if (
        overlaps(
          (followers[at] ?? []).filter((next) => loopOf[next] === loop),
          units,
        )
      )
        throw new Unproved()
  }
  checkReadings(followers, units, loopOf, begins)
  const shared = (a: number, b: number): boolean => {
    const both = common(unionOf(a, loops, units), unionOf(b, loops, units))
    if (both.length === 0) return false
    const passable = (at: number) => common(units[at] ?? [], both).length > 0
    const seen = new Set((loops.get(a) ?? []).filter(passable))
    for (const at of seen) for (const next of followers[at] ?? []) if (passable(next)) seen.add(next)
    return [...seen].some((at) => loopOf[at] === b)
  }
  const depths = new Map<number, number>()
  const depth = (loop: number): number => {
    const known = depths.get(loop)
    if (known !== undefined) return known
    let deepest = 0
    for (const other of loops.keys())
      if (other !== loop && reach[loop]?.has(other))
        deepest = Math.max(deepest, depth(other) + (shared(loop, other) ? 1 : 0))
    depths.set(loop, deepest)
    return deepest
  }
  return loops.size === 0 ? 0 : 1 + Math.max(...[...loops.keys()].map(depth))
}

const unionOf = (loop: number, loops: ReadonlyMap<number, number[]>, units: readonly Units[]): Units =>
  (loops.get(loop) ?? []).flatMap((at) => [...(units[at] ?? [])]).toSorted(([a], [b]) => a - b)

function reachable(from: number, followers: readonly number[][]): Set<number> {
  const seen = new Set(followers[from])
  for (const at of seen) for (const next of followers[at] ?? []) seen.add(next)
  return seen
}

/** Ranges that both have. Ranges of one list may overlap. */
function common(a: Units, b: Units): Units {
  const found: [number, number][] = []
  for (const [low, high] of a)
    for (const [otherLow, otherHigh] of b)
      if (low <= otherHigh && otherLow <= high) found.push([Math.max(low, otherLow), Math.min(high, otherHigh)])
  return found
}

function overlaps(positions: readonly number[], units: readonly Units[]): boolean {
  return positions.some((at, index) =>
    positions.slice(index + 1).some((other) => common(units[at] ?? [], units[other] ?? []).length > 0),
  )
}

/** @throws Unproved if a text has too many readings apart from loops, as for `a?a?a?…` */
function checkReadings(
  followers: readonly number[][],
  units: readonly Units[],
  loopOf: readonly number[],
  begins: readonly number[],
): void {
  const known = new Map<string, number>()
  const inLoop = (at: number, next: number) => loopOf[at] !== -1 && loopOf[at] === loopOf[next]
  const among = (next: readonly number[]): number =>
    Math.max(
      1,
      ...next.map((at) =>
        next
          .filter((other) => common(units[at] ?? [], units[other] ?? []).length > 0)
          .reduce((sum, other) => sum + after(other), 0),
      ),
    )
  const after = (at: number): number => {
    const loop = loopOf[at] ?? -1
    const key = loop >= 0 ? `loop ${loop}` : String(at)
    const found = known.get(key)
    if (found !== undefined) return found
    const members = loop >= 0 ? loopOf.flatMap((each, index) => (each === loop ? [index] : [])) : [at]
    const ways = Math.max(
      ...members.map((member) => among((followers[member] ?? []).filter((next) => !inLoop(member, next)))),
    )
    known.set(key, ways)
    return ways
  }
  if (among(begins) > maxReadings) throw new Unproved()
}

function build(tree: Node, flags: string, search: boolean): Automaton {
  const units: Units[] = []
  const followers: number[][] = []
  let conditions = 0
  let edges = 0
  const link = (lasts: readonly number[], firsts: readonly number[]) => {
    edges += lasts.length * firsts.length
    if (edges > maxEdges) throw new Unproved()
    for (const last of lasts) followers[last]?.push(...firsts)
  }
  const times = (list: readonly number[], count: number) => {
    if (list.length * count > maxEdges) throw new Unproved()
    return Array.from({ length: count }, () => list).flat()
  }
  const inOrder = (parts: readonly Part[]): Part => {
    let whole: Part = { firsts: [], lasts: [], empty: 1 }
    for (const part of parts) {
      link(whole.lasts, part.firsts)
      whole = {
        firsts: [...whole.firsts, ...times(part.firsts, whole.empty)],
        lasts: [...times(whole.lasts, part.empty), ...part.lasts],
        empty: whole.empty * part.empty,
      }
    }
    return whole
  }
  const repeat = ({ item, least, most }: Extract<Node, { kind: 'repeat' }>): Part => {
    if (item.kind === 'atom' && most <= 10) {
      let rest: Part = { firsts: [], lasts: [], empty: 1 }
      for (let count = most; count > 0; count--) {
        const both = inOrder([visit(item), rest])
        rest = count > least ? { ...both, empty: both.empty + 1 } : both
      }
      return rest
    }
    const part = visit(item)
    if (most <= 1) return least === 1 ? part : { ...part, empty: part.empty + 1 }
    // What repeats nothing can be read in any number of ways.
    if (part.empty > 0) throw new Unproved()
    link(part.lasts, part.firsts)
    return { ...part, empty: least === 0 ? 1 : 0 }
  }
  const visit = (node: Node): Part => {
    switch (node.kind) {
      case 'atom':
        if (units.length >= maxPositions) throw new Unproved()
        units.push(unitsOf(node.source, flags))
        followers.push([])
        return { firsts: [units.length - 1], lasts: [units.length - 1], empty: 0 }
      case 'start':
      case 'empty':
        return { firsts: [], lasts: [], empty: 1 }
      case 'condition': {
        const exponent = exponentOf(node.item, flags, false)
        if (node.behind && exponent > 0) throw new Unproved()
        conditions = Math.max(conditions, exponent)
        return { firsts: [], lasts: [], empty: 1 }
      }
      case 'repeat':
        return repeat(node)
      case 'sequence':
        return inOrder(node.items.map(visit))
      case 'choice': {
        const parts = node.options.map(visit)
        return {
          firsts: parts.flatMap(({ firsts }) => firsts),
          lasts: parts.flatMap(({ lasts }) => lasts),
          empty: parts.reduce((sum, { empty }) => sum + empty, 0),
        }
      }
    }
  }
  const anywhere: number[] = []
  const atStart: number[] = []
  let searches = false
  for (const option of optionsOf(tree)) {
    const isAnywhere = search && !(startsAtStart(option) && !flags.includes('m'))
    const { firsts } = visit(option)
    if (isAnywhere) anywhere.push(...firsts)
    else atStart.push(...firsts)
    searches ||= isAnywhere
  }
  // A search with a condition only, such as `(?=a)`, tries it everywhere.
  return { units, followers, anywhere, atStart, conditions: conditions + (searches && anywhere.length === 0 ? 1 : 0) }
}

const optionsOf = (node: Node): readonly Node[] => {
  if (node.kind === 'choice') return node.options.flatMap(optionsOf)
  const [only] = node.kind === 'sequence' && node.items.length === 1 ? node.items : []
  return only ? optionsOf(only) : [node]
}

function startsAtStart(node: Node): boolean {
  if (node.kind === 'start') return true
  if (node.kind === 'choice') return node.options.every(startsAtStart)
  return node.kind === 'sequence' && node.items[0] !== undefined && startsAtStart(node.items[0])
}

const everyUnit = Array.from({ length: 0x100 }, (_, high) =>
  String.fromCharCode(...Array.from({ length: 0x100 }, (_each, low) => high * 0x100 + low)),
).join('')
const knownUnits = new Map<string, Units>()
/** Atoms that match no characters above U+FFFF, whatever the flags. */
const isBasic = /^(?:[^\\[.]|\\[^DSWPpucx]|\[(?!\^)(?:[^\\]|\\[dwst.\-/\]\\[])*\])$/s

/** The units that a character, escape or class matches. */
function unitsOf(source: string, flags: string): Units {
  const key = `${flags}/${source}`
  const stored = knownUnits.get(key)
  if (stored) return stored
  const unicode = flags.includes('u')
  const found = [...everyUnit.matchAll(new RegExp(`(?:${source})+`, `${flags.replaceAll(/[^isu]/g, '')}g`))].map(
    ({ index, 0: run }): [number, number] => [index, index + run.length - 1],
  )
  // Characters of two units share all of them.
  const isWide = unicode && !(isBasic.test(source) && /^[ -~]*$/.test(source))
  const units: Units = isWide ? [...found, [0xd8_00, 0xdf_ff]] : found
  knownUnits.set(key, units)
  return units
}

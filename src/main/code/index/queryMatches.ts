import { Node, type Query, type Tree } from 'web-tree-sitter'

/**
 * Memory and functions of the tree-sitter engine: web-tree-sitter's module object, used the way web-tree-sitter uses
 * it. `Query.matches` creates two objects per captured node, although most nodes are only compared by their start.
 */
export interface QueryEngine {
  readonly HEAP32: Int32Array
  currentQueryProgressCallback: (() => boolean) | null
  /** Returns the address through which nodes are passed. */
  _ts_init(): number
  /** Writes the root node to that address. */
  _ts_tree_root_node_wasm(tree: number): void
  /** Reads a node there, and writes the number of matches and their address. */
  _ts_query_matches_wasm(query: number, tree: number, ...options: number[]): void
  _ts_node_end_index_wasm(tree: number): number
  _free(address: number): void
}

/** Kinds of captures, as bits. */
export const captureBits = { definition: 1, reference: 2, link: 4, local: 8, scope: 16 } as const

/** A capture name of a query. */
interface CaptureName {
  name: string
  bits: number
  /** The part after the dot. */
  kind: string
}

const unknownName: CaptureName = { name: '', bits: 0, kind: '' }

/** The text and tree of a query, and their engine. */
interface QueriedText {
  engine: QueryEngine
  /** Address through which nodes are passed, as an index of 32-bit integers. */
  buffer: number
  tree: Tree
  /** Address of the tree. */
  handle: number
  text: string
  /** Capture names of the query. */
  names: readonly CaptureName[]
}

/** Offsets in a captured node, in integers: its id, its start, and a tree-sitter internal. */
const nodeFields = { id: 0, startIndex: 1, row: 2, column: 3, alias: 4 } as const
/** Integers of a node in the engine's memory. */
const nodeSize = 5
/** Integers per capture: its name and its node. */
const captureSize = 1 + nodeSize

/** A captured node. Valid until its tree is deleted. */
export class Capture {
  readonly captureName: CaptureName
  readonly startIndex: number
  readonly #source: QueriedText
  readonly #found: Int32Array
  readonly #at: number
  #node: Node | undefined

  /** @param at index of the node in `found` */
  constructor(source: QueriedText, captureName: CaptureName, found: Int32Array, at: number) {
    this.captureName = captureName
    this.startIndex = found[at + nodeFields.startIndex] ?? 0
    this.#source = source
    this.#found = found
    this.#at = at
    this.#node = undefined
  }

  get name(): string {
    return this.captureName.name
  }

  /** Row of the start, 0-based. */
  get row(): number {
    return this.#found[this.#at + nodeFields.row] ?? 0
  }

  /** Column of the start, 0-based. */
  get column(): number {
    return this.#found[this.#at + nodeFields.column] ?? 0
  }

  get endIndex(): number {
    const { engine, buffer, handle } = this.#source
    const memory = engine.HEAP32
    for (let field = 0; field < nodeSize; field++) memory[buffer + field] = this.#found[this.#at + field] ?? 0
    return engine._ts_node_end_index_wasm(handle)
  }

  get text(): string {
    return this.#source.text.slice(this.startIndex, this.endIndex)
  }

  get node(): Node {
    return (this.#node ??= new CapturedNode(
      this.#found[this.#at + nodeFields.alias] ?? 0,
      this.#found[this.#at + nodeFields.id] ?? 0,
      this.#source.tree,
      this.startIndex,
      { row: this.row, column: this.column },
    ))
  }
}

type NodeConstructor = new (
  alias: number,
  id: number,
  tree: Tree,
  startIndex: number,
  startPosition: { row: number; column: number },
) => Node

/** The constructor of Node is internal, so this one sets the same fields in the same order. */
const CapturedNode = function (
  this: Record<string, unknown>,
  alias: number,
  id: number,
  tree: Tree,
  startIndex: number,
  startPosition: { row: number; column: number },
) {
  this[0] = alias
  this['_children'] = undefined
  this['_namedChildren'] = undefined
  this['id'] = id
  this['startIndex'] = startIndex
  this['startPosition'] = startPosition
  this['tree'] = tree
} as unknown as NodeConstructor
CapturedNode.prototype = Node.prototype

/** A match of a query pattern. Captures are created on demand, because most are never needed. */
export class Match {
  readonly patternIndex: number
  /** The kinds of its captures (`captureBits`). */
  readonly bits: number
  /** Number of captures. */
  readonly count: number
  readonly #source: QueriedText
  readonly #found: Int32Array
  readonly #at: number

  /** @param at index of the first capture in `found` */
  constructor(
    source: QueriedText,
    found: Int32Array,
    { patternIndex, bits, count, at }: { patternIndex: number; bits: number; count: number; at: number },
  ) {
    this.patternIndex = patternIndex
    this.bits = bits
    this.count = count
    this.#source = source
    this.#found = found
    this.#at = at
  }

  get captures(): Capture[] {
    return Array.from({ length: this.count }, (_, index) => this.capture(index))
  }

  capture(index: number): Capture {
    return new Capture(this.#source, this.nameOf(index), this.#found, this.#at + index * captureSize + 1)
  }

  nameOf(index: number): CaptureName {
    return this.#source.names[this.#found[this.#at + index * captureSize] ?? 0] ?? unknownName
  }
}

export interface MatchOptions {
  /** Maximum depth at which a match may start. */
  maxStartDepth?: number
  /** Whether to stop; the result is then incomplete. */
  isExpired(): boolean
}

/** Means no limit. */
const unlimited = 0xffffffff
/** Start and end of a range, as index and position, and of the nodes that contain the matches: unlimited. */
const anywhere = Array.from({ length: 12 }, () => 0)

/** Like `Query.matches` for a whole tree. */
export function queryMatches(
  engine: QueryEngine,
  query: Query,
  tree: Tree,
  text: string,
  { maxStartDepth = unlimited, isExpired }: MatchOptions,
): Match[] {
  const address = engine._ts_init()
  const handle = handleOf(tree)
  const source: QueriedText = {
    engine,
    buffer: address >> 2,
    tree,
    handle,
    text,
    names: captureNames(query),
  }
  engine._ts_tree_root_node_wasm(handle)
  engine.currentQueryProgressCallback = isExpired
  try {
    engine._ts_query_matches_wasm(handleOf(query), handle, ...anywhere, unlimited, maxStartDepth)
  } finally {
    engine.currentQueryProgressCallback = null
  }
  const count = engine.HEAP32[source.buffer] ?? 0
  const start = engine.HEAP32[source.buffer + 1] ?? 0
  const found = copyMatches(engine.HEAP32, start >> 2, count)
  engine._free(start)
  return readMatches(source, query, count, found)
}

/** Copies the matches, because the engine's memory changes: pattern, number of captures, and captures of each. */
function copyMatches(memory: Int32Array, start: number, count: number): Int32Array {
  let end = start
  for (let index = 0; index < count; index++) end += 2 + (memory[end + 1] ?? 0) * captureSize
  return memory.slice(start, end)
}

function readMatches(source: QueriedText, query: Query, total: number, found: Int32Array): Match[] {
  const { names } = source
  const predicates = textPredicates(query)
  const matches: Match[] = []
  let at = 0
  for (let index = 0; index < total; index++) {
    const patternIndex = found[at] ?? 0
    const count = found[at + 1] ?? 0
    at += 2
    let bits = 0
    for (let nth = 0; nth < count; nth++) bits |= names[found[at + nth * captureSize] ?? 0]?.bits ?? 0
    const match = new Match(source, found, { patternIndex, bits, count, at })
    at += count * captureSize
    const tests = predicates[patternIndex] ?? []
    if (tests.length > 0) {
      const { captures } = match
      if (!tests.every((test) => test(captures))) continue
    }
    matches.push(match)
  }
  return matches
}

/** Address of a web-tree-sitter object in the engine's memory, missing in its types. */
const handleOf = (object: Query | Tree): number => (object as unknown as [number])[0]

/** Predicates of each pattern, missing in web-tree-sitter's types. */
const textPredicates = (query: Query): readonly (readonly ((captures: readonly Capture[]) => boolean)[])[] =>
  (query as unknown as { textPredicates: ((captures: readonly Capture[]) => boolean)[][] }).textPredicates

const namesByQuery = new WeakMap<Query, readonly CaptureName[]>()

function captureNames(query: Query): readonly CaptureName[] {
  const known = namesByQuery.get(query)
  if (known) return known
  const names = query.captureNames.map((name) => ({ name, bits: bitsOf(name), kind: /\.(.*)/.exec(name)?.[1] ?? '' }))
  namesByQuery.set(query, names)
  return names
}

function bitsOf(name: string): number {
  if (name.startsWith('definition.')) return captureBits.definition
  if (name.startsWith('reference.')) return captureBits.reference
  if (name.startsWith('import.') || name.startsWith('export.')) return captureBits.link
  if (name === 'local') return captureBits.local
  return name === 'scope' ? captureBits.scope : 0
}

/** Returns the first capture with a name. */
export function captureOf(match: Match, name: string): Capture | null {
  for (let index = 0; index < match.count; index++) if (match.nameOf(index).name === name) return match.capture(index)
  return null
}

/** Returns the first capture of a kind (`captureBits`). */
export function captureOfKind(match: Match, bits: number): Capture | null {
  if ((match.bits & bits) === 0) return null
  for (let index = 0; index < match.count; index++)
    if ((match.nameOf(index).bits & bits) !== 0) return match.capture(index)
  return null
}

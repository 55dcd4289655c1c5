import { Node, type Query, type Tree } from 'web-tree-sitter'

/**
 * Memory and functions of the tree-sitter engine: the module object of web-tree-sitter, which uses it in the same way.
 * `Query.matches` creates two objects for each captured node, and most nodes are only compared by their start.
 */
export interface QueryEngine {
  readonly HEAP32: Int32Array
  currentQueryProgressCallback: (() => boolean) | null
  /** Returns the address through which nodes are passed. */
  _ts_init(): number
  /** Writes the root to that address. */
  _ts_tree_root_node_wasm(tree: number): void
  /** Reads a node there, and writes the number of matches and their address. */
  _ts_query_matches_wasm(query: number, tree: number, ...options: number[]): void
  _ts_node_end_index_wasm(tree: number): number
  _free(address: number): void
}

/** Kinds of captures, as bits: what a match is for. */
export const captureBits = { definition: 1, reference: 2, link: 4, local: 8, scope: 16 } as const

/** A capture name of a query. */
interface CaptureName {
  name: string
  bits: number
  /** The part after the dot. */
  kind: string
}

/** The text and tree of a query, with the engine that has them. */
interface QueriedText {
  engine: QueryEngine
  /** Address through which nodes are passed, in integers. */
  buffer: number
  tree: Tree
  /** Address of the tree. */
  handle: number
  text: string
}

/** A captured node. Valid until its tree is deleted. */
export class Capture {
  readonly captureName: CaptureName
  readonly startIndex: number
  /** Position of the start, 0-based. */
  readonly row: number
  readonly column: number
  readonly #source: QueriedText
  readonly #id: number
  /** Internal to tree-sitter. */
  readonly #alias: number
  #node: Node | undefined

  /** @param at position of the node in the engine's memory, in integers */
  constructor(source: QueriedText, captureName: CaptureName, memory: Int32Array, at: number) {
    this.captureName = captureName
    this.startIndex = memory[at + 1] ?? 0
    this.row = memory[at + 2] ?? 0
    this.column = memory[at + 3] ?? 0
    this.#source = source
    this.#id = memory[at] ?? 0
    this.#alias = memory[at + 4] ?? 0
  }

  get name(): string {
    return this.captureName.name
  }

  get endIndex(): number {
    const { engine, buffer, handle } = this.#source
    const memory = engine.HEAP32
    memory[buffer] = this.#id
    memory[buffer + 1] = this.startIndex
    memory[buffer + 2] = this.row
    memory[buffer + 3] = this.column
    memory[buffer + 4] = this.#alias
    return engine._ts_node_end_index_wasm(handle)
  }

  get text(): string {
    return this.#source.text.slice(this.startIndex, this.endIndex)
  }

  get node(): Node {
    return (this.#node ??= this.#createNode())
  }

  /** The constructor of Node is internal, so its fields are set here. */
  #createNode(): Node {
    const fields = {
      0: this.#alias,
      id: this.#id,
      tree: this.#source.tree,
      startIndex: this.startIndex,
      startPosition: { row: this.row, column: this.column },
    }
    // Node has no other field that is set when it is created.
    return Object.assign(Object.create(Node.prototype) as Node, fields)
  }
}

/** A match of a query's pattern. */
export interface Match {
  patternIndex: number
  captures: Capture[]
  /** The kinds of its captures (`captureBits`). */
  bits: number
}

export interface MatchOptions {
  /** Maximum depth at which a match may start. */
  maxStartDepth?: number
  /** Whether to stop; the result is then incomplete. */
  isExpired(): boolean
}

/** Integers of a node in the engine's memory. */
const nodeSize = 5
/** Means no limit. */
const unlimited = 0xffffffff
/** Start and end of a range, as index and position, and those of nodes that contain the matches: no limits. */
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
  const source: QueriedText = { engine, buffer: address >> 2, tree, handle, text }
  engine._ts_tree_root_node_wasm(handle)
  engine.currentQueryProgressCallback = isExpired
  try {
    engine._ts_query_matches_wasm(handleOf(query), handle, ...anywhere, unlimited, maxStartDepth)
  } finally {
    engine.currentQueryProgressCallback = null
  }
  const [count = 0, start = 0] = engine.HEAP32.subarray(source.buffer, source.buffer + 2)
  try {
    return readMatches(source, query, count, start >> 2)
  } finally {
    engine._free(start)
  }
}

function readMatches(source: QueriedText, query: Query, count: number, start: number): Match[] {
  const names = captureNames(query)
  const predicates = textPredicates(query)
  const matches: Match[] = []
  let at = start
  for (let index = 0; index < count; index++) {
    // Predicates call the engine, and a memory that grows is another array.
    const memory = source.engine.HEAP32
    const patternIndex = memory[at++] ?? 0
    const captures: Capture[] = []
    let bits = 0
    for (let rest = memory[at++] ?? 0; rest > 0; rest--) {
      const captureName = names[memory[at++] ?? 0]
      if (captureName) {
        captures.push(new Capture(source, captureName, memory, at))
        bits |= captureName.bits
      }
      at += nodeSize
    }
    if (predicates[patternIndex]?.every((test) => test(captures))) matches.push({ patternIndex, captures, bits })
  }
  return matches
}

/** The address of an object of web-tree-sitter in the engine's memory, which its types leave out. */
const handleOf = (object: Query | Tree): number => (object as unknown as [number])[0]

/** The tests of each pattern, which web-tree-sitter's types leave out. */
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

/** Returns the first capture of a name. */
export function captureOf(match: Match, name: string): Capture | null {
  for (const capture of match.captures) if (capture.captureName.name === name) return capture
  return null
}

/** Returns the first capture of a kind (`captureBits`). */
export function captureOfKind(match: Match, bits: number): Capture | null {
  if ((match.bits & bits) === 0) return null
  for (const capture of match.captures) if ((capture.captureName.bits & bits) !== 0) return capture
  return null
}

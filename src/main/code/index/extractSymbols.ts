import type { Language, Node, Parser, Query, QueryMatch, Range, Tree } from 'web-tree-sitter'
import { capturedNode, unquotedName, type Definition } from './queryCaptures.ts'
import { createCpuLimit } from './cpuTime.ts'
import { extractDoc } from './docComment.ts'
import { extractReferences } from './extractReferences.ts'
import { symbolKinds, type Extraction, type FoundSymbol, type SymbolKind, type TextRange } from './symbolTypes.ts'

/**
 * A language ready to read. Its tag query (resources/grammars) names what it finds by captures:
 * - `@definition.KIND` with `@name`, and where there are such `@body`, `@owner` (the type a method belongs to), `@exported`
 * - `@reference.call|extends|implements|usage` with `@name` and, before a dot, `@receiver`
 * - `@local` for parameters and local variables, which live in the nearest `@scope`; with `@local.type` or `@local.value` where they have
 *   one, and `@local.member` (with `@local.key` for another name) where a pattern takes them out of that
 * - `@import.source` (several are joined by dots) or `@import.string` (in quotes, which are taken off) with `@import.name`,
 *   `@import.alias`, `@import.default`, `@import.namespace`, `@import.all`
 * - `@export.name` with `@export.alias`, or `@export.default`, `@export.all`, `@export.namespace`; with `@import.source` it is passed on
 *   from there
 * A body that stands beside its definition belongs to it. Of several definitions for one name the pattern that stands first wins.
 */
export interface Grammar {
  parser: Parser
  language: Language
  query: Query
  /** The text of `query`. */
  source: string
  /** Where given, the file is data: only so much of it is worth a symbol. */
  keys?: KeyBounds
}

export interface KeyBounds {
  /** How many nodes below the root of the tree a key may begin. */
  treeDepth: number
  /** At most so many symbols; the deepest are left out first. */
  maxSymbols: number
}

export interface ExtractOptions {
  /** Only these parts of the text are in the language: the scripts of a page. */
  ranges?: Range[]
  /** How much processor time reading may take. */
  milliseconds?: number
}

const maxSignatureLength = 240
const maxDocLength = 2000
/** What nests deeper is generated or hostile; names are joined from all levels, so depth costs memory squared. */
const maxDepth = 32
const typeKinds: ReadonlySet<SymbolKind> = new Set(['class', 'struct', 'interface', 'trait', 'impl', 'enum'])
/** What stands between a definition and its `export`. */
const declarationNodeTypes: ReadonlySet<string> = new Set([
  'lexical_declaration',
  'variable_declaration',
  'variable_declarator',
  'ambient_declaration',
  'expression_statement',
])
const kinds: ReadonlySet<string> = new Set(symbolKinds)
const importCaptures: ReadonlySet<string> = new Set([
  'import.name',
  'import.alias',
  'import.default',
  'import.namespace',
])

/**
 * Reads a file's symbols, references and links. The same text gives the same answer, unless the time ran out: then it throws, because
 * part of the symbols would look like all of them.
 */
export function extractSymbols(
  grammar: Grammar,
  text: string,
  { ranges, milliseconds = 2000 }: ExtractOptions = {},
): Extraction {
  const limit = createTimeLimit(milliseconds)
  const tree = parse(grammar, text, limit, { ranges })
  try {
    const matches = runQuery(grammar, tree, limit)
    const { definitions, ...found } = readSymbols(grammar, matches, text, limit)
    return { ...found, ...extractReferences(matches, definitions), hasSyntaxErrors: tree.rootNode.hasError }
  } finally {
    tree.delete()
  }
}

/** What an outline shows of a text, and the tree that it was read from. The caller deletes the tree. */
export interface OutlineResult extends Pick<Extraction, 'symbols' | 'hasSyntaxErrors' | 'omittedKeys'> {
  tree: Tree
}

/**
 * Reads a file's symbols alone. Throws as `extract` does.
 * @param previous the tree of an earlier text that was told of all changes since, or null; it stays the caller's
 */
export function extractOutline(
  grammar: Grammar,
  text: string,
  previous: Tree | null,
  milliseconds = 2000,
): OutlineResult {
  const limit = createTimeLimit(milliseconds)
  const tree = parse(grammar, text, limit, { previous })
  try {
    const { symbols, omittedKeys } = readSymbols(grammar, runQuery(grammar, tree, limit), text, limit)
    return {
      symbols,
      hasSyntaxErrors: tree.rootNode.hasError,
      ...(omittedKeys === undefined ? {} : { omittedKeys: omittedKeys }),
      tree,
    }
  } catch (error) {
    tree.delete()
    throw error
  }
}

interface Limit {
  isExpired(): boolean
  /** Throws once the time is up. */
  throwIfExpired(): void
}

function createTimeLimit(milliseconds: number): Limit {
  const isExpired = createCpuLimit(milliseconds)
  return {
    isExpired,
    throwIfExpired() {
      if (isExpired())
        throw new Error(
          `Reading it took more than ${milliseconds / 1000} s of processor time, so its symbols are not read.`,
        )
    },
  }
}

function parse(
  { parser, language }: Grammar,
  text: string,
  { isExpired, throwIfExpired }: Limit,
  { ranges, previous = null }: { ranges?: Range[]; previous?: Tree | null },
): Tree {
  parser.setLanguage(language)
  const tree = parser.parse(text, previous, {
    progressCallback: isExpired,
    ...(ranges ? { includedRanges: ranges } : {}),
  })
  if (tree) return tree
  // It would go on with the text that it was stopped in.
  parser.reset()
  throwIfExpired()
  throw new Error('The parser was stopped.')
}

function runQuery({ query, keys }: Grammar, tree: Tree, { isExpired, throwIfExpired }: Limit): QueryMatch[] {
  const matches = query.matches(tree.rootNode, {
    progressCallback: isExpired,
    ...(keys ? { maxStartDepth: keys.treeDepth } : {}),
  })
  throwIfExpired()
  return matches
}

function readSymbols(
  { keys }: Grammar,
  matches: readonly QueryMatch[],
  text: string,
  { throwIfExpired }: Limit,
): { definitions: Definition[]; symbols: FoundSymbol[]; omittedKeys?: number } {
  const all = findDefinitions(matches)
  const definitions = limitDefinitions(all, keys?.maxSymbols ?? all.length)
  const symbols = nestSymbols(definitions, text, throwIfExpired)
  if (keys) definitions.forEach(({ last }, index) => symbols[index] && trimRangeEnd(symbols[index].range, last, text))
  const omittedKeys = keys ? all.length - definitions.length : 0
  return { definitions, symbols, ...(omittedKeys > 0 ? { omittedKeys } : {}) }
}

/** Sorted so that what encloses stands before what it encloses. */
function findDefinitions(matches: readonly QueryMatch[]): Definition[] {
  const found = new Map<number, Definition & { pattern: number }>()
  // `const a = require('a')` brings a name in and defines nothing.
  const imported = new Set(
    matches.flatMap(({ captures }) =>
      captures.filter(({ name }) => importCaptures.has(name)).map(({ node }) => node.startIndex),
    ),
  )
  for (const match of matches) {
    const definitionCapture = match.captures.find((capture) => capture.name.startsWith('definition.'))
    const name = capturedNode(match, 'name')
    if (!definitionCapture || !name) continue
    const kind = definitionCapture.name.slice('definition.'.length)
    if (!isKind(kind)) throw new Error(`The tag query names an unknown kind of symbol: ${kind}.`)
    if (imported.has(name.startIndex)) continue
    const existing = found.get(name.startIndex)
    if (existing && existing.pattern <= match.patternIndex) continue
    const { node } = definitionCapture
    const body = capturedNode(match, 'body') ?? node.childForFieldName('body')
    found.set(name.startIndex, {
      kind,
      name,
      node,
      body,
      pattern: match.patternIndex,
      last: body && body.endIndex > node.endIndex ? body : node,
      owner: capturedNode(match, 'owner')?.text ?? null,
      exported: capturedNode(match, 'exported') !== null || isExported(node),
    })
  }
  return [...found.values()].toSorted(
    (a, b) =>
      a.node.startIndex - b.node.startIndex ||
      b.last.endIndex - a.last.endIndex ||
      a.name.startIndex - b.name.startIndex,
  )
}

/** `export const f = () => …` has its declaration between the definition and the statement. */
function isExported(node: Node): boolean {
  let enclosing = node.parent
  while (enclosing && declarationNodeTypes.has(enclosing.type)) enclosing = enclosing.parent
  return enclosing?.type === 'export_statement'
}

/**
 * Leaves out local variables, what nests too deep and, where there are too many, the deepest; what encloses a kept one is kept.
 */
function limitDefinitions(definitions: readonly Definition[], most: number): Definition[] {
  const open: Definition[] = []
  const levels = definitions.map((definition) => {
    while (open.length > 0 && !encloses(open.at(-1), definition)) open.pop()
    const enclosing = open.at(-1)?.kind
    const local = definition.kind === 'variable' && (enclosing === 'function' || enclosing === 'method')
    return local ? maxDepth : open.push(definition) - 1
  })
  const counts = Array.from({ length: maxDepth }, (_, level) => levels.filter((found) => found === level).length)
  let room = most
  const rooms = counts.map((count) => {
    const here = Math.min(count, room)
    room -= here
    return here
  })
  return definitions.filter((_, index) => {
    const level = levels[index] ?? maxDepth
    const left = rooms[level] ?? 0
    if (left > 0) rooms[level] = left - 1
    return left > 0
  })
}

function isKind(kind: string): kind is SymbolKind {
  return kinds.has(kind)
}

function nestSymbols(definitions: readonly Definition[], text: string, throwIfExpired: () => void): FoundSymbol[] {
  const symbols: FoundSymbol[] = []
  const open: number[] = []
  for (const definition of definitions) {
    throwIfExpired()
    const { node, name, body, last, owner } = definition
    while (open.length > 0 && !encloses(definitions[open.at(-1) ?? 0], definition)) open.pop()
    const parent = open.at(-1) ?? null
    const enclosing = parent === null ? undefined : symbols[parent]
    // Ruby's `:name` and PowerShell's `$name`.
    const sigil = name.type === 'simple_symbol' || (name.type === 'variable' && name.text.startsWith('$'))
    const plain = unquotedName(sigil ? name.text.slice(1) : name.text)
    symbols.push({
      kind: kindInType(definition.kind, owner !== null || (enclosing !== undefined && typeKinds.has(enclosing.kind))),
      name: plain,
      qualified: [enclosing?.qualified, owner, plain]
        .filter((part) => part !== undefined && part !== null && part !== '')
        .join('.'),
      range: rangeOf(node, last),
      ...(body ? { body: rangeOf(body, body) } : {}),
      nameLine: name.startPosition.row + 1,
      nameColumn: name.startPosition.column + 1,
      signature: signatureOf(node, body, text),
      doc: extractDoc(node, body).slice(0, maxDocLength),
      exported: definition.exported,
      parent,
    })
    open.push(symbols.length - 1)
  }
  return symbols
}

/** `const a = 1, b = 2` are two definitions side by side, also where a query captures the whole statement for both. */
function encloses(outer: Definition | undefined, inner: Definition): boolean {
  if (!outer) return false
  return (
    outer.node.startIndex <= inner.node.startIndex &&
    outer.last.endIndex >= inner.last.endIndex &&
    outer.node.id !== inner.node.id
  )
}

function kindInType(kind: SymbolKind, inType: boolean): SymbolKind {
  if (!inType) return kind
  if (kind === 'function') return 'method'
  return kind === 'variable' ? 'property' : kind
}

function rangeOf({ startPosition }: Node, { endPosition }: Node): TextRange {
  // A node that ends at the first column of a line ends with the line before.
  const endsAtLineStart = endPosition.column === 0 && endPosition.row > startPosition.row
  return {
    line: startPosition.row + 1,
    column: startPosition.column + 1,
    endLine: endsAtLineStart ? endPosition.row : endPosition.row + 1,
    endColumn: endsAtLineStart ? 1 : endPosition.column + 1,
  }
}

/** A value of YAML or TOML ends with its own last line: its node may go on over empty lines and comments to the next key. */
function trimRangeEnd(range: TextRange, { startIndex, endIndex, endPosition }: Node, text: string): void {
  let end = endIndex
  let { row } = endPosition
  for (
    let existing = text.lastIndexOf('\n', end - 1);
    existing > startIndex;
    existing = text.lastIndexOf('\n', end - 1)
  ) {
    if (!/^\s*(?:#.*)?$/.test(text.slice(existing + 1, end))) break
    end = existing
    row--
  }
  range.endLine = row + 1
  range.endColumn = end - text.lastIndexOf('\n', end - 1)
}

function signatureOf(node: Node, body: Node | null, text: string): string {
  const end = body && body.startIndex > node.startIndex ? body.startIndex : node.endIndex
  const line = text
    .slice(node.startIndex, end)
    .slice(0, maxSignatureLength * 4)
    .replace(/\s+/g, ' ')
    .replace(/(?:\s|[{:=]|=>)+$/, '')
    .trim()
  return line.length > maxSignatureLength ? `${line.slice(0, maxSignatureLength)}…` : line
}

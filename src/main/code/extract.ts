import type { Language, Node, Parser, Query, QueryMatch } from 'web-tree-sitter'
import { findLocals, ownObject, type Locals } from './locals.ts'
import { innermost } from './spans.ts'
import { symbolKinds, type Extraction, type FoundLink, type FoundReference, type FoundSymbol, type SymbolKind, type TextRange } from './symbols.ts'

/**
 * A language ready to read. Its tag query (resources/grammars) names what it finds by captures:
 * - `@definition.KIND` with `@name`, and where there are such `@body`, `@owner` (the type a method belongs to), `@exported`
 * - `@reference.call|extends|implements|usage` with `@name` and, before a dot, `@receiver`
 * - `@local` for parameters and local variables, which live in the nearest `@scope`; with `@local.type` or `@local.value` where they have
 *   one, and `@local.member` (with `@local.key` for another name) where a pattern takes them out of that
 * - `@import.source` with `@import.name`, `@import.alias`, `@import.default`, `@import.namespace`, `@import.all`
 * - `@export.name` with `@export.alias`, or `@export.default`, `@export.all`, `@export.namespace`; with `@import.source` it is passed on from there
 * Of several definitions for one name the pattern that stands first in the query wins.
 */
export interface Grammar {
  parser: Parser
  language: Language
  query: Query
}

interface Definition {
  kind: SymbolKind
  node: Node
  name: Node
  body: Node | null
  owner: string | null
  exported: boolean
}

const longestSignature = 240
const longestDoc = 2000
const longestReceiver = 120
const typeLike: ReadonlySet<SymbolKind> = new Set(['class', 'struct', 'interface', 'trait', 'impl', 'enum'])
const kinds: ReadonlySet<string> = new Set(symbolKinds)

/** Reads a file's symbols, references and links. Pure: the same text gives the same answer. */
export function extract({ parser, language, query }: Grammar, text: string): Extraction {
  parser.setLanguage(language)
  const tree = parser.parse(text)
  if (!tree) throw new Error('The parser was stopped.')
  try {
    const matches = query.matches(tree.rootNode)
    const definitions = findDefinitions(matches)
    const symbols = nest(definitions, text)
    const named = new Set(definitions.map(({ name }) => name.startIndex))
    const { references, links } = findReferences(matches, definitions, named)
    return { symbols, references, links, broken: tree.rootNode.hasError }
  } finally {
    tree.delete()
  }
}

function captured(match: QueryMatch, name: string): Node | null {
  return match.captures.find((capture) => capture.name === name)?.node ?? null
}

/** Sorted so that what encloses stands before what it encloses. */
function findDefinitions(matches: readonly QueryMatch[]): Definition[] {
  const found = new Map<number, Definition & { pattern: number }>()
  for (const match of matches) {
    const defining = match.captures.find((capture) => capture.name.startsWith('definition.'))
    const name = captured(match, 'name')
    if (!defining || !name) continue
    const kind = defining.name.slice('definition.'.length)
    if (!isKind(kind)) throw new Error(`The tag query names an unknown kind of symbol: ${kind}.`)
    const before = found.get(name.startIndex)
    if (before && before.pattern <= match.patternIndex) continue
    found.set(name.startIndex, {
      kind, name, pattern: match.patternIndex,
      node: defining.node,
      body: captured(match, 'body') ?? defining.node.childForFieldName('body'),
      owner: captured(match, 'owner')?.text ?? null,
      exported: captured(match, 'exported') !== null || defining.node.parent?.type === 'export_statement',
    })
  }
  return [...found.values()].toSorted((a, b) => a.node.startIndex - b.node.startIndex || b.node.endIndex - a.node.endIndex || a.name.startIndex - b.name.startIndex)
}

function isKind(kind: string): kind is SymbolKind {
  return kinds.has(kind)
}

function nest(definitions: readonly Definition[], text: string): FoundSymbol[] {
  const symbols: FoundSymbol[] = []
  const open: number[] = []
  for (const definition of definitions) {
    const { node, name, body, owner } = definition
    while (open.length > 0 && !encloses(definitions[open.at(-1) ?? 0], node)) open.pop()
    const parent = open.at(-1) ?? null
    const around = parent === null ? undefined : symbols[parent]
    const plain = unquote(name.type === 'simple_symbol' ? name.text.slice(1) : name.text)
    symbols.push({
      kind: kindInside(definition.kind, owner !== null || (around !== undefined && typeLike.has(around.kind))),
      name: plain,
      qualified: [around?.qualified, owner, plain].filter((part) => part !== undefined && part !== null && part !== '').join('.'),
      range: rangeOf(node),
      ...(body ? { body: rangeOf(body) } : {}),
      nameLine: name.startPosition.row + 1,
      nameColumn: name.startPosition.column + 1,
      signature: signatureOf(node, body, text),
      doc: docOf(node, body).slice(0, longestDoc),
      exported: definition.exported,
      parent,
    })
    open.push(symbols.length - 1)
  }
  return symbols
}

/** `const a = 1, b = 2` are two definitions side by side, also where a query captures the whole statement for both. */
function encloses(outer: Definition | undefined, inner: Node): boolean {
  if (!outer) return false
  return outer.node.startIndex <= inner.startIndex && outer.node.endIndex >= inner.endIndex && outer.node.id !== inner.id
}

function kindInside(kind: SymbolKind, inType: boolean): SymbolKind {
  if (!inType) return kind
  if (kind === 'function') return 'method'
  return kind === 'variable' ? 'property' : kind
}

function rangeOf({ startPosition, endPosition }: Node): TextRange {
  // A node that ends at the first column of a line ends with the line before.
  const early = endPosition.column === 0 && endPosition.row > startPosition.row
  return {
    line: startPosition.row + 1,
    column: startPosition.column + 1,
    endLine: early ? endPosition.row : endPosition.row + 1,
    endColumn: early ? 1 : endPosition.column + 1,
  }
}

function signatureOf(node: Node, body: Node | null, text: string): string {
  const end = body && body.startIndex > node.startIndex ? body.startIndex : node.endIndex
  const line = text.slice(node.startIndex, end).slice(0, longestSignature * 4).replace(/\s+/g, ' ').replace(/(?:\s|[{:=]|=>)+$/, '').trim()
  return line.length > longestSignature ? `${line.slice(0, longestSignature)}…` : line
}

const wrappers = new Set(['export_statement', 'decorated_definition', 'lexical_declaration', 'variable_declaration', 'expression_statement', 'ambient_declaration', 'template_declaration', 'type_declaration', 'const_declaration', 'var_declaration'])

/** Comments that stand directly above, or the string a Python body begins with. */
function docOf(node: Node, body: Node | null): string {
  const first = body?.namedChild(0)
  if (first?.type === 'expression_statement' && first.namedChildCount === 1 && first.namedChild(0)?.type === 'string') {
    return (first.namedChild(0)?.text ?? '').replace(/^[a-zA-Z]*("""|'''|"|')|("""|'''|"|')$/g, '').split('\n').map((line) => line.trim()).join('\n').trim()
  }
  let top = node
  for (let outer = top.parent; outer && wrappers.has(outer.type); outer = top.parent) {
    // In `const a = 1, b = 2` the comment belongs to the first.
    if (outer.type !== 'export_statement' && outer.namedChild(0)?.startIndex !== top.startIndex) break
    top = outer
  }
  const lines: string[] = []
  let next = top.startPosition.row
  for (let above = top.previousSibling; above; above = above.previousSibling) {
    if (/^(attribute_item|decorator|annotation)$/.test(above.type)) {
      next = above.startPosition.row
      continue
    }
    // Some grammars count the line end of a line comment as its own.
    const last = above.endPosition.column === 0 ? above.endPosition.row - 1 : above.endPosition.row
    if (!above.type.includes('comment') || next - last > 1) break
    // What stands behind code on its line explains that code.
    if (above.previousSibling && above.previousSibling.endPosition.row === above.startPosition.row && above.previousSibling.endPosition.column > 0) break
    lines.unshift(uncomment(above.text))
    next = above.startPosition.row
  }
  return lines.join('\n').trim()
}

function uncomment(comment: string): string {
  return comment
    .replace(/^\/\*+!?|\*+\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(\/\/[/!]?|#+|--|\*)? ?/, '').trimEnd())
    .join('\n')
    .trim()
}

function unquote(name: string): string {
  return name.replace(/^(["'`])(.*)\1$/s, '$2').replace(/\s+/g, ' ').slice(0, 200)
}

function findReferences(matches: readonly QueryMatch[], definitions: readonly Definition[], named: ReadonlySet<number>): Pick<Extraction, 'references' | 'links'> {
  const locals = findLocals(matches, named)
  const found = new Map<number, FoundReference>()
  const links: FoundLink[] = []
  const around = innermost(definitions.map(({ node }) => ({ start: node.startIndex, end: node.endIndex })))
  for (const match of matches) {
    const link = linkOf(match)
    if (link) links.push(link)
    const referring = match.captures.find((capture) => capture.name.startsWith('reference.'))
    const name = captured(match, 'name')
    if (!referring || !name || named.has(name.startIndex)) continue
    const receiver = captured(match, 'receiver')
    if (!receiver && locals.has(name.text, name.startIndex)) continue
    const kind = referring.name.slice('reference.'.length)
    if (!isReference(kind)) throw new Error(`The tag query names an unknown kind of reference: ${kind}.`)
    const before = found.get(name.startIndex)
    // A plain use is the least that can be said of a place.
    if (before && (kind === 'usage' || before.kind !== 'usage')) continue
    const root = receiver?.text
    const shadowed = root !== undefined && !ownObject.has(root) && locals.has(root, name.startIndex)
    found.set(name.startIndex, {
      kind,
      name: unquote(name.text),
      // A local variable that is called like a module is not that module.
      receiver: root === undefined ? null : shadowed ? `(${root.slice(0, longestReceiver)})` : root.slice(0, longestReceiver),
      origin: receiver && originOf(receiver, locals),
      line: name.startPosition.row + 1,
      column: name.startPosition.column + 1,
      from: around(name.startIndex),
    })
  }
  return { references: [...found.entries()].toSorted(([a], [b]) => a - b).map(([, reference]) => reference), links }
}

/** Kept where it says more than the receiver's own text, and short enough to be followed. */
function originOf(receiver: Node, locals: Locals): string | null {
  const origin = locals.origin(receiver)
  return origin === null || origin.length > longestReceiver ? null : origin
}

function isReference(kind: string): kind is FoundReference['kind'] {
  return kind === 'call' || kind === 'extends' || kind === 'implements' || kind === 'usage'
}

function linkOf(match: QueryMatch): FoundLink | null {
  if (!match.captures.some(({ name }) => name.startsWith('import.') || name.startsWith('export.'))) return null
  const text = (name: string): string | undefined => captured(match, name)?.text
  const place = match.captures[0]?.node.startPosition
  if (!place) return null
  const at = { line: place.row + 1, column: place.column + 1 }
  const source = text('import.source')
  if (text('export.all') !== undefined && source !== undefined) return { kind: 'export', local: '*', original: '*', source, ...at }
  const space = text('export.namespace')
  if (space !== undefined && source !== undefined) return { kind: 'export', local: space, original: '*', source, ...at }
  const exported = text('export.name')
  if (exported !== undefined) return { kind: 'export', local: text('export.alias') ?? exported, original: exported, source: source ?? null, ...at }
  const byDefault = text('export.default')
  if (byDefault !== undefined) return { kind: 'export', local: 'default', original: byDefault, source: null, ...at }
  if (source === undefined) return null
  const whole = text('import.namespace')
  if (whole !== undefined) return { kind: 'import', local: whole, original: '*', source, ...at }
  const standard = text('import.default')
  if (standard !== undefined) return { kind: 'import', local: standard, original: 'default', source, ...at }
  const name = text('import.name')
  if (name !== undefined) return { kind: 'import', local: text('import.alias') ?? name, original: name, source, ...at }
  return text('import.all') === undefined ? null : { kind: 'import', local: '*', original: '*', source, ...at }
}

import type { Language, Node, Parser, Query, Range, Tree } from 'web-tree-sitter'
import { unquotedName, type Definition } from './definition.ts'
import { captureBits, captureOf, captureOfKind, queryMatches, type Match, type QueryEngine } from './queryMatches.ts'
import { createCpuLimit } from './cpuTime.ts'
import { extractDoc } from './docComment.ts'
import { extractReferences } from './extractReferences.ts'
import {
  symbolKinds,
  typeKinds,
  type Extraction,
  type FoundSymbol,
  type SymbolKind,
  type TextRange,
} from './symbolTypes.ts'
import { truncate } from '../../../shared/text/truncate.ts'

/**
 * A loaded language. Its tag query (resources/grammars) uses these captures:
 * - `@definition.KIND` with `@name`; optional `@body`, `@owner` (the type a method belongs to), `@exported`
 * - `@reference.call|extends|implements|usage` with `@name`; optional `@receiver` (before a dot)
 * - `@local` for parameters and local variables, in the nearest `@scope`; optional `@local.type` or `@local.value`, and
 * for destructuring `@local.member` (with `@local.key` if renamed)
 * - `@import.source` (several are joined with dots) or `@import.string` (quotes are removed), with `@import.name`,
 * `@import.alias`, `@import.default`, `@import.namespace`, `@import.all`
 * - `@export.name` with `@export.alias`, or `@export.default`, `@export.all`, `@export.namespace`; with
 * `@import.source` for a re-export
 * - A body captured separately belongs to its definition. If several patterns define a name, the first pattern wins.
 */
export interface Grammar {
  parser: Parser
  language: Language
  /** Returns the tag query for a text. Prepared on first use, which takes up to a second. */
  queryFor(text: string): Query
  /** Runs the parser and the query. */
  engine: QueryEngine
  /** Source text of the whole tag query. */
  source: string
  /** Set for data files, whose number of symbols is limited. */
  keys?: KeyBounds
}

/** Limits for the keys of a data file, which are its symbols. */
export interface KeyBounds {
  /** Maximum depth in the syntax tree at which a key may start. */
  treeDepth: number
  /** Maximum number of symbols; the deepest are omitted first. */
  maxSymbols: number
}

export interface ExtractOptions {
  /** Ranges of the text to parse, e.g. the scripts of a component. Default: the whole text. */
  ranges?: Range[]
  /** Limit of processor time, default 2000. */
  milliseconds?: number
}

const maxSignatureLength = 240
const maxDocLength = 2000
/**
 * Maximum nesting of definitions. Deeper nesting is generated or hostile. Qualified names include all levels, so
 * memory grows with the square of the depth.
 */
const maxDepth = 32
/** Node types between a definition and its `export`. */
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
 * Extracts symbols, references and links from a file. Deterministic.
 * @throws Error on timeout, because a partial result would look complete
 */
export function extractSymbols(
  grammar: Grammar,
  text: string,
  { ranges, milliseconds = 2000 }: ExtractOptions = {},
): Extraction {
  const limit = createTimeLimit(milliseconds)
  const tree = parse(grammar, text, limit, { ranges })
  try {
    const matches = runQuery(grammar, tree, text, limit)
    const { definitions, ...found } = readSymbols(grammar, matches, text, limit)
    return { ...found, ...extractReferences(matches, definitions), hasSyntaxErrors: tree.rootNode.hasError }
  } finally {
    tree.delete()
  }
}

/** Symbols of a text and its syntax tree, which the caller must delete. */
export interface OutlineResult extends Pick<Extraction, 'symbols' | 'hasSyntaxErrors' | 'omittedKeys'> {
  tree: Tree
}

/**
 * Extracts only the symbols. Throws like `extractSymbols`.
 * @param previous tree of an earlier text with all edits applied, or null. The caller keeps ownership.
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
    const { symbols, omittedKeys } = readSymbols(grammar, runQuery(grammar, tree, text, limit), text, limit)
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
  /** @throws Error once the time limit has passed */
  throwIfExpired(): void
}

function createTimeLimit(milliseconds: number): Limit {
  const isExpired = createCpuLimit(milliseconds)
  return {
    isExpired,
    throwIfExpired() {
      if (isExpired())
        throw new Error(`Parsing took more than ${milliseconds / 1000} s of processor time, so symbols were not read.`)
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
  // Without a reset, the next parse would resume this text.
  parser.reset()
  throwIfExpired()
  throw new Error('The parser stopped.')
}

function runQuery(
  { engine, queryFor, keys }: Grammar,
  tree: Tree,
  text: string,
  { isExpired, throwIfExpired }: Limit,
): Match[] {
  const matches = queryMatches(engine, queryFor(text), tree, text, {
    isExpired,
    ...(keys ? { maxStartDepth: keys.treeDepth } : {}),
  })
  throwIfExpired()
  return matches
}

function readSymbols(
  { keys }: Grammar,
  matches: readonly Match[],
  text: string,
  { throwIfExpired }: Limit,
): { definitions: Definition[]; symbols: FoundSymbol[]; omittedKeys?: number } {
  const all = findDefinitions(matches, text)
  const definitions = limitDefinitions(all, keys?.maxSymbols ?? all.length)
  const symbols = nestSymbols(definitions, text, throwIfExpired)
  if (keys) definitions.forEach(({ last }, index) => symbols[index] && trimRangeEnd(symbols[index].range, last, text))
  const omittedKeys = keys ? all.length - definitions.length : 0
  return { definitions, symbols, ...(omittedKeys > 0 ? { omittedKeys } : {}) }
}

/** Returns definitions sorted so that outer definitions precede inner ones. */
function findDefinitions(matches: readonly Match[], text: string): Definition[] {
  const found = new Map<number, Definition & { pattern: number }>()
  // `const a = require('a')` is an import, not a definition.
  const imported = new Set<number>()
  for (const match of matches)
    if ((match.bits & captureBits.link) !== 0)
      for (const { name, startIndex } of match.captures) if (importCaptures.has(name)) imported.add(startIndex)
  const mayExport = text.includes('export')
  for (const match of matches) {
    if ((match.bits & captureBits.definition) === 0) continue
    const definitionCapture = captureOfKind(match, captureBits.definition)
    const name = definitionCapture && captureOf(match, 'name')
    if (!name) continue
    const { kind } = definitionCapture.captureName
    if (!isKind(kind)) throw new Error(`The tag query has an unknown kind of symbol: ${kind}.`)
    if (imported.has(name.startIndex)) continue
    const existing = found.get(name.startIndex)
    if (existing && existing.pattern <= match.patternIndex) continue
    const { node } = definitionCapture
    const body = captureOf(match, 'body')?.node ?? node.childForFieldName('body')
    found.set(name.startIndex, {
      kind,
      name,
      node,
      body,
      pattern: match.patternIndex,
      last: body && body.endIndex > node.endIndex ? body : node,
      owner: captureOf(match, 'owner')?.text ?? null,
      exported: captureOf(match, 'exported') !== null || (mayExport && isExported(node)),
    })
  }
  return [...found.values()].toSorted(
    (a, b) =>
      a.node.startIndex - b.node.startIndex ||
      b.last.endIndex - a.last.endIndex ||
      a.name.startIndex - b.name.startIndex,
  )
}

/** In `export const f = () => …`, declaration nodes are between the definition and the export statement. */
function isExported(node: Node): boolean {
  let enclosing = node.parent
  while (enclosing && declarationNodeTypes.has(enclosing.type)) enclosing = enclosing.parent
  return enclosing?.type === 'export_statement'
}

/**
 * Omits local variables, definitions nested too deeply and, above the limit, the deepest definitions. Keeps all
 * ancestors of the rest.
 */
function limitDefinitions(definitions: readonly Definition[], maxCount: number): Definition[] {
  const open: Definition[] = []
  const levels = definitions.map((definition) => {
    while (open.length > 0 && !encloses(open.at(-1), definition)) open.pop()
    const enclosing = open.at(-1)?.kind
    const local = definition.kind === 'variable' && (enclosing === 'function' || enclosing === 'method')
    return local ? maxDepth : open.push(definition) - 1
  })
  const counts = Array.from({ length: maxDepth }, () => 0)
  for (const level of levels) if (level < maxDepth) counts[level] = (counts[level] ?? 0) + 1
  let remaining = maxCount
  const remainingByLevel = counts.map((count) => {
    const allowed = Math.min(count, remaining)
    remaining -= allowed
    return allowed
  })
  return definitions.filter((_, index) => {
    const level = levels[index] ?? maxDepth
    const allowed = remainingByLevel[level] ?? 0
    if (allowed > 0) remainingByLevel[level] = allowed - 1
    return allowed > 0
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
    const nameText = name.text
    const sigil =
      (nameText.startsWith(':') && name.node.type === 'simple_symbol') ||
      (nameText.startsWith('$') && name.node.type === 'variable')
    const plain = unquotedName(sigil ? nameText.slice(1) : nameText)
    symbols.push({
      kind: kindInType(definition.kind, owner !== null || (enclosing !== undefined && typeKinds.has(enclosing.kind))),
      name: plain,
      qualified: qualifiedName(enclosing?.qualified ?? '', owner ?? '', plain),
      range: rangeOf(node, last),
      ...(body ? { body: rangeOf(body, body) } : {}),
      nameLine: name.row + 1,
      nameColumn: name.column + 1,
      signature: signatureOf(node, body, text),
      doc: extractDoc(node, body).slice(0, maxDocLength),
      exported: definition.exported,
      parent,
    })
    open.push(symbols.length - 1)
  }
  return symbols
}

function qualifiedName(outer: string, owner: string, name: string): string {
  return outer === '' && owner === '' ? name : [outer, owner, name].filter((part) => part !== '').join('.')
}

/**
 * In `const a = 1, b = 2` neither definition encloses the other, even if a query captures the whole statement for
 * both.
 */
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
  // A node that ends at the start of a line ends with the previous line.
  const endsAtLineStart = endPosition.column === 0 && endPosition.row > startPosition.row
  return {
    line: startPosition.row + 1,
    column: startPosition.column + 1,
    endLine: endsAtLineStart ? endPosition.row : endPosition.row + 1,
    endColumn: endsAtLineStart ? 1 : endPosition.column + 1,
  }
}

/**
 * Cuts the range of a YAML or TOML value at its last line: its node can include empty lines and comments up to the
 * next key.
 */
function trimRangeEnd(range: TextRange, { startIndex, endIndex, endPosition }: Node, text: string): void {
  let end = endIndex
  let { row } = endPosition
  for (
    let lineBreak = text.lastIndexOf('\n', end - 1);
    lineBreak > startIndex;
    lineBreak = text.lastIndexOf('\n', end - 1)
  ) {
    if (!/^\s*(?:#.*)?$/.test(text.slice(lineBreak + 1, end))) break
    end = lineBreak
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
  return truncate(line, maxSignatureLength)
}

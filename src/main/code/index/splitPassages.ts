import type { FoundSymbol, SymbolKind, TextRange } from './symbolTypes.ts'
import { collectWords } from './words.ts'

/**
 * A section of a file that can match a search by itself: a definition with its comment, or lines between definitions.
 */
export interface Passage {
  /** 1-based, both ends inclusive. */
  line: number
  endLine: number
  /** Index of the innermost enclosing symbol. */
  symbol: number | null
  /**
   * Words for the full-text index: `name` from the symbol's name; `about` from its signature, comment and inner
   * names; `body` from its lines. A word is only in the first one that has it, which weighs most.
   */
  name: string
  about: string
  body: string
}

/** The parts of a symbol that a passage needs. */
export type PassageSymbol = Pick<FoundSymbol, 'kind' | 'name' | 'qualified' | 'signature' | 'doc' | 'parent'> & {
  range: Pick<TextRange, 'line' | 'endLine'>
}

/** Maximum lines of a passage. */
const maxLines = 50
/** Maximum UTF-16 units of an indexed line; the rest is data. */
const maxLineLength = 400
const maxPassages = 2000
/** Maximum occurrences of a word that count in one passage. */
const maxWordRepeats = 3
/** Kinds that become a passage whatever their length. */
const definitionKinds: ReadonlySet<SymbolKind> = new Set([
  'function',
  'method',
  'class',
  'struct',
  'interface',
  'type',
  'enum',
  'trait',
  'impl',
  'module',
  'namespace',
])
/** Minimum number of lines for a symbol of any other kind to become a passage. */
const minSymbolLines = 6
const commentLine = /^\s*(?:\/\/|\/\*|\*|#|--|;;|%|"""|@|<!--)/

/**
 * Splits a text into passages along its symbols; splits long symbols again, and other text into windows of lines.
 * @param symbols in text order, as `extractSymbols` returns them; empty for a language without a grammar
 */
export function splitIntoPassages(text: string, symbols: readonly PassageSymbol[]): Passage[] {
  const lines = text.split('\n')
  const children = new Map<number | null, number[]>()
  for (const [index, symbol] of symbols.entries()) {
    const { kind, range, parent } = symbol
    if (!definitionKinds.has(kind) && range.endLine - range.line + 1 < minSymbolLines) continue
    const siblings = children.get(parent) ?? []
    siblings.push(index)
    children.set(parent, siblings)
  }
  const passages: Passage[] = []
  /** Index of the first symbol at or after the current passage. Symbols and passages are both in text order. */
  let nextSymbol = 0

  function splitRange(from: number, to: number, symbol: number | null): void {
    if (symbol !== null && to - from < maxLines) return add(from, to, symbol)
    let next = from
    for (const child of children.get(symbol) ?? []) {
      const range = symbols[child]?.range
      if (!range || range.line < next || range.endLine > to) continue
      const start = includeComment(range.line, next)
      addWindows(next, start - 1, symbol)
      splitRange(start, range.endLine, child)
      next = range.endLine + 1
    }
    addWindows(next, to, symbol)
  }

  /** Extends a definition upward to include its comment. */
  function includeComment(line: number, first: number): number {
    let start = line
    while (start > first && commentLine.test(lines[start - 2] ?? '')) start--
    return start
  }

  function addWindows(from: number, to: number, symbol: number | null): void {
    for (let line = from; line <= to; line += maxLines) add(line, Math.min(line + maxLines - 1, to), symbol)
  }

  function add(from: number, to: number, index: number | null): void {
    if (passages.length >= maxPassages) return
    let line = from
    let endLine = to
    while (line < endLine && lines[line - 1]?.trim() === '') line++
    while (endLine > line && lines[endLine - 1]?.trim() === '') endLine--
    const symbol = index === null ? undefined : symbols[index]
    const counts = new Map<string, number>()
    const [name, about, body]: [string[], string[], string[]] = [[], [], []]
    // Counted as often as a word may occur, so that later fields do not add it again.
    const once = maxWordRepeats
    if (symbol) collectWords(symbol.qualified, once, maxWordRepeats, counts, name)
    const aboutText = `${symbol ? `${symbol.signature} ${symbol.doc}` : ''} ${namesBetween(from, to)}`
    collectWords(aboutText, once, maxWordRepeats, counts, about)
    const bodyText = lines
      .slice(line - 1, endLine)
      .map((one) => (one.length > maxLineLength ? one.slice(0, maxLineLength) : one))
      .join('\n')
    if (!collectWords(bodyText, 1, maxWordRepeats, counts, body)) return
    passages.push({
      line,
      endLine,
      symbol: index,
      name: name.join(' '),
      about: about.join(' '),
      body: body.join(' '),
    })
  }

  /** Returns the names defined between two lines, so that searching for them finds the passage. */
  function namesBetween(from: number, to: number): string {
    while ((symbols[nextSymbol]?.range.line ?? Infinity) < from) nextSymbol++
    const names: string[] = []
    for (let index = nextSymbol; (symbols[index]?.range.line ?? Infinity) <= to; index++)
      names.push(symbols[index]?.name ?? '')
    return names.join(' ')
  }

  splitRange(1, lines.length, null)
  return passages
}

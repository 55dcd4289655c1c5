import type { FoundSymbol, SymbolKind } from './symbolTypes.ts'
import { wordsOf } from '../search/searchWords.ts'

/** A block of a file that answers a search by itself: a definition with its comment, or some lines between two. */
export interface Passage {
  /** 1-based, both ends inclusive. */
  line: number
  endLine: number
  /** Index of the innermost symbol around it. */
  symbol: number | null
  /** Words of its symbol's name, of its signature, its comment and the names defined in it, and of its lines. */
  name: string
  about: string
  body: string
}

/** Lines of one passage. */
const maxLines = 50
/** The rest of a longer line is data. UTF-16 units. */
const maxLineLength = 400
const maxPassages = 2000
/** A word counts no more often in one passage. */
const maxWordRepeats = 3
/** Definitions that are passages of their own, however short. */
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
/** Other symbols of at least this many lines are as well. */
const minSymbolLines = 6
const commentLine = /^\s*(?:\/\/|\/\*|\*|#|--|;;|%|"""|@|<!--)/

/**
 * Cuts a text into passages along its symbols, those of a long one again; what has no symbols is cut into windows of lines.
 * @param symbols in the order of the text, as `extract` gives them; none for a language without a grammar
 */
export function splitIntoPassages(text: string, symbols: readonly FoundSymbol[]): Passage[] {
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
  /** The first symbol that begins at or after the passage under work: both come in the order of the text. */
  let first = 0

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

  /** A comment above a definition belongs to it. */
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
    const body = wordsOf(
      lines
        .slice(line - 1, endLine)
        .map((one) => one.slice(0, maxLineLength))
        .join('\n'),
      maxWordRepeats,
    )
    if (body.length === 0) return
    const symbol = index === null ? undefined : symbols[index]
    passages.push({
      line,
      endLine,
      symbol: index,
      name: symbol ? wordsOf(symbol.qualified).join(' ') : '',
      about: wordsOf(
        `${symbol ? `${symbol.signature} ${symbol.doc}` : ''} ${namesBetween(from, to)}`,
        maxWordRepeats,
      ).join(' '),
      body: body.join(' '),
    })
  }

  /** Names defined between two lines, which are asked for as the passage's own are. */
  function namesBetween(from: number, to: number): string {
    while ((symbols[first]?.range.line ?? Infinity) < from) first++
    const names: string[] = []
    for (let index = first; (symbols[index]?.range.line ?? Infinity) <= to; index++)
      names.push(symbols[index]?.name ?? '')
    return names.join(' ')
  }

  splitRange(1, lines.length, null)
  return passages
}

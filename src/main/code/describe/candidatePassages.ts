import type { SymbolKind } from '../index/symbolTypes.ts'

/** The fields of an index symbol (`SymbolRow`) that are ranked. Lines are 1-based and inclusive. */
export interface DescribedSymbol {
  kind: SymbolKind
  name: string
  qualified: string
  line: number
  end_line: number
  signature: string
  doc: string
}

/** A range of lines that a description can refer to. */
export interface CandidatePassage<S extends DescribedSymbol = DescribedSymbol> {
  /** Undefined for a block of consecutive lines outside all symbols. */
  symbol?: S
  /** 1-based, inclusive. */
  startLine: number
  endLine: number
  name: string
  /** Qualified name of the enclosing symbol. */
  enclosing: string
  signature: string
  /** Doc comment. */
  doc: string
  /** Text of the passage without its nested passages. */
  body: string
}

/** Maximum UTF-16 units of a body that are ranked; the rest is ignored. */
const maxBodyLength = 20_000
const commentLine = /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|endif|pragma))|--|;;)/

/**
 * Returns the passages of a file: its symbols, and the blocks outside them.
 * @param innerBlocks whether to include blocks inside functions: paragraphs separated by blank lines
 */
export function collectCandidates<S extends DescribedSymbol>(
  text: string,
  symbols: readonly S[],
  innerBlocks: boolean,
): CandidatePassage<S>[] {
  const lines = text.split('\n')
  const own = symbols.filter(({ kind }) => kind !== 'import' && kind !== 'export')
  /** Index of the innermost symbol per line. Outer symbols precede the symbols they contain. */
  const owner = Array.from(lines, () => -1)
  own.forEach((symbol, index) => owner.fill(index, symbol.line - 1, Math.min(symbol.end_line, lines.length)))
  const bodies: string[][] = own.map(() => [])
  const blocks: CandidatePassage<S>[] = []
  /** The last comment block. It may describe the next symbol despite blank lines in between. */
  let lastComment: string[] = []
  const detachedDocs = new Map<number, string>()
  const rememberComment = (block: readonly string[]) => {
    const filled = block.filter((line) => line.trim() !== '')
    if (filled.length > 0) lastComment = filled.every((line) => commentLine.test(line)) ? filled : []
  }
  let start = 0
  for (const [index, line] of lines.entries()) {
    const at = owner[index] ?? -1
    bodies[at]?.push(line)
    if (at >= 0 && own[at]?.line === index + 1) {
      detachedDocs.set(at, lastComment.join('\n'))
      lastComment = []
    }
    const next = index + 1
    const ends = next === lines.length || owner[next] !== at || line.trim() === ''
    if (!ends) continue
    if (at < 0 || innerBlocks) blocks.push(...toBlock(lines, start, index, own[at], own.length === 0 || innerBlocks))
    if (at < 0) rememberComment(lines.slice(start, next))
    start = next
  }
  const passages = own.map((symbol, index): CandidatePassage<S> => ({
    symbol,
    startLine: symbol.line,
    endLine: symbol.end_line,
    name: symbol.name,
    enclosing: symbol.qualified.slice(0, -symbol.name.length),
    signature: symbol.signature,
    doc: symbol.doc === '' ? (detachedDocs.get(index) ?? '') : symbol.doc,
    body: (bodies[index] ?? []).join('\n').slice(0, maxBodyLength),
  }))
  return [...passages, ...blocks]
}

/**
 * Returns a block as a passage; none if it is blank, only closes brackets, or is only a comment.
 * @param prose treats all text as comments: the file has no symbols, or the description asks about comments
 */
function toBlock<S extends DescribedSymbol>(
  lines: readonly string[],
  from: number,
  to: number,
  enclosing: S | undefined,
  prose: boolean,
): CandidatePassage<S>[] {
  let start = from
  let end = to
  while (start <= end && lines[start]?.trim() === '') start += 1
  while (end >= start && lines[end]?.trim() === '') end -= 1
  const block = lines.slice(start, end + 1)
  if (!block.some((line) => /\w/.test(line))) return []
  if (!prose && block.every((line) => commentLine.test(line))) return []
  const comments = prose ? block : block.filter((line) => commentLine.test(line))
  const rest = prose ? [] : block.filter((line) => !commentLine.test(line))
  const place = {
    startLine: start + 1,
    endLine: end + 1,
    name: '',
    enclosing: enclosing?.qualified ?? '',
    signature: '',
  }
  return [{ ...place, doc: comments.join('\n').slice(0, maxBodyLength), body: rest.join('\n').slice(0, maxBodyLength) }]
}

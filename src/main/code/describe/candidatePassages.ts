import type { SymbolKind } from '../index/symbolTypes.ts'

/** What a symbol must tell to be ranked: rows of the code index do. Lines are 1-based, `end_line` included. */
export interface DescribedSymbol {
  kind: SymbolKind
  name: string
  qualified: string
  line: number
  end_line: number
  signature: string
  doc: string
}

/** A stretch of a file that a description may mean. */
export interface CandidatePassage<S extends DescribedSymbol = DescribedSymbol> {
  /** Absent for a block: lines that stand together and are no symbol. */
  symbol?: S
  /** 1-based, inclusive. */
  startLine: number
  endLine: number
  name: string
  /** Names of what encloses it. */
  around: string
  signature: string
  /** Its comment. */
  doc: string
  /** What stands in it and in no passage inside it. */
  body: string
}

/** Longer bodies are ranked by their beginning. UTF-16 units. */
const maxBodyLength = 20_000
const commentLine = /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|endif|pragma))|--|;;)/

/**
 * The passages of a file: its symbols, and the blocks outside them.
 * @param inner also the blocks inside functions: paragraphs between blank lines
 */
export function collectCandidates<S extends DescribedSymbol>(
  text: string,
  symbols: readonly S[],
  inner: boolean,
): CandidatePassage<S>[] {
  const lines = text.split('\n')
  const own = symbols.filter(({ kind }) => kind !== 'import' && kind !== 'export')
  /** Of each line the innermost symbol; symbols stand in order, what encloses before what it encloses. */
  const owner = Array.from(lines, () => -1)
  own.forEach((symbol, index) => owner.fill(index, symbol.line - 1, Math.min(symbol.end_line, lines.length)))
  const bodies: string[][] = own.map(() => [])
  const blocks: CandidatePassage<S>[] = []
  /** The comment that may belong to the next symbol, though blank lines stand between. */
  let remarks: string[] = []
  const loose = new Map<number, string>()
  const remark = (block: readonly string[]) => {
    const said = block.filter((line) => line.trim() !== '')
    if (said.length > 0) remarks = said.every((line) => commentLine.test(line)) ? said : []
  }
  let start = 0
  for (const [index, line] of lines.entries()) {
    const at = owner[index] ?? -1
    bodies[at]?.push(line)
    if (at >= 0 && own[at]?.line === index + 1) {
      loose.set(at, remarks.join('\n'))
      remarks = []
    }
    const next = index + 1
    const ends = next === lines.length || owner[next] !== at || line.trim() === ''
    if (!ends) continue
    if (at < 0 || inner) blocks.push(...toBlock(lines, start, index, own[at], own.length === 0 || inner))
    if (at < 0) remark(lines.slice(start, next))
    start = next
  }
  const passages = own.map((symbol, index): CandidatePassage<S> => ({
    symbol,
    startLine: symbol.line,
    endLine: symbol.end_line,
    name: symbol.name,
    around: symbol.qualified.slice(0, -symbol.name.length),
    signature: symbol.signature,
    doc: symbol.doc === '' ? (loose.get(index) ?? '') : symbol.doc,
    body: (bodies[index] ?? []).join('\n').slice(0, maxBodyLength),
  }))
  return [...passages, ...blocks]
}

/**
 * Nothing for what is blank, only closes something, or is a comment alone.
 * @param prose the file has no symbols or its comments are asked for, so all its text counts as a comment does
 */
function toBlock<S extends DescribedSymbol>(
  lines: readonly string[],
  from: number,
  to: number,
  around: S | undefined,
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
  const place = { startLine: start + 1, endLine: end + 1, name: '', around: around?.qualified ?? '', signature: '' }
  return [{ ...place, doc: comments.join('\n').slice(0, maxBodyLength), body: rest.join('\n').slice(0, maxBodyLength) }]
}

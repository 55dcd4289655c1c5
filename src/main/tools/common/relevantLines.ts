import { stem, wordsOf, type QueryWords } from '../../code/index/codeIndex.ts'

export interface NumberedLine {
  /** 1-based. */
  line: number
  /** Without the space around it, shortened. */
  text: string
}

const longest = 200

/** The lines of a passage that hold most of a question's words, best first; among equals the first ones. Lines without any are left out. */
export function tellingLines(
  lines: readonly string[],
  from: number,
  to: number,
  { words, variants }: QueryWords,
  most: number,
): NumberedLine[] {
  const wanted = new Set([...words, ...variants].map(stem))
  const scored: (NumberedLine & { score: number })[] = []
  for (let line = from; line <= Math.min(to, lines.length); line++) {
    const text = lines[line - 1] ?? ''
    const score = new Set(
      wordsOf(text.slice(0, 1000))
        .map(stem)
        .filter((word) => wanted.has(word)),
    ).size
    if (score > 0) scored.push({ line, text: shortLine(text), score })
  }
  return scored
    .toSorted((a, b) => b.score - a.score || a.line - b.line)
    .slice(0, most)
    .map(({ line, text }) => ({ line, text }))
}

/** A line as an answer shows it. */
export function shortLine(text: string): string {
  const trimmed = text.trim()
  return trimmed.length > longest ? `${trimmed.slice(0, longest)}…` : trimmed
}

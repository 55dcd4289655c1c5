import { stem, wordsOf, type QueryWords } from '../../code/index/codeIndex.ts'

export interface NumberedLine {
  /** 1-based. */
  line: number
  /** Trimmed and truncated. */
  text: string
}

const longest = 200

/**
 * Returns the lines of a passage that contain the most words of a question, best first, then in file order. Lines
 * without a match are omitted.
 */
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

/** Trims and truncates a line for a result. */
export function shortLine(text: string): string {
  const trimmed = text.trim()
  return trimmed.length > longest ? `${trimmed.slice(0, longest)}…` : trimmed
}

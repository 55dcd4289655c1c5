import { stem, wordsOf, type QueryWords } from '../../code/codeIndex.ts'
import { truncate } from '../../../shared/text/truncate.ts'

/** A line of a file in a result. */
export interface NumberedLine {
  /** 1-based. */
  line: number
  /** Trimmed and truncated. */
  text: string
}

/** Maximum length of a line in UTF-16 units. */
const maxLineLength = 200

/**
 * Returns the lines of a passage that contain the most words of a question, best first. Lines without a match are
 * omitted.
 * @param from first line of the passage, 1-based
 * @param to last line of the passage, inclusive
 */
export function relevantLines(
  lines: readonly string[],
  from: number,
  to: number,
  { words, variants }: QueryWords,
  maxLines: number,
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
    if (score > 0) scored.push({ line, text: truncateLine(text), score })
  }
  return scored
    .toSorted((a, b) => b.score - a.score || a.line - b.line)
    .slice(0, maxLines)
    .map(({ line, text }) => ({ line, text }))
}

/** Trims and truncates a line for a result. */
export function truncateLine(text: string): string {
  const trimmed = text.trim()
  return truncate(trimmed, maxLineLength)
}

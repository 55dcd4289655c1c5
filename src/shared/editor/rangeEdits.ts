import { ToolError } from '../errors.ts'
import type { RangeEdit } from '../language/languageServers.ts'

/** Pure: applies edits that refer to the same text. Edits at one position keep their order. */
export function applyRangeEdits(text: string, edits: readonly RangeEdit[]): string {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  const offsetOf = (line: number, column: number): number => {
    const start = starts[line - 1]
    if (start === undefined) return text.length
    const next = starts[line]
    return Math.min(start + column - 1, next === undefined ? text.length : next - 1)
  }
  const pieces: string[] = []
  let end = 0
  const ordered = edits
    .map(({ range, text: inserted }) => ({
      start: offsetOf(range.startLine, range.startColumn),
      end: offsetOf(range.endLine, range.endColumn),
      inserted,
    }))
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
  for (const edit of ordered) {
    if (edit.start < end)
      throw new ToolError('refused', 'The language server sent edits that overlap.', 'Nothing was changed.')
    pieces.push(text.slice(end, edit.start), edit.inserted)
    end = edit.end
  }
  return [...pieces, text.slice(end)].join('')
}

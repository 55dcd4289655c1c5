const chain = /[\p{L}_$][\p{L}\p{N}_$]*(?:\s*\??\.\s*[\p{L}_$][\p{L}\p{N}_$]*)*/gu
const word = /[\p{L}_$][\p{L}\p{N}_$]*/gu

/**
 * Pure: the variable or chain of members under a column, up to the word under it. Calls, indexes and literals are left
 * out, because evaluating them could change the program.
 * @param column 1-based
 * @returns null if there is none
 */
export function hoverExpression(
  line: string,
  column: number,
): { expression: string; start: number; end: number } | null {
  const offset = column - 1
  for (const match of line.matchAll(chain)) {
    const begin = match.index
    if (offset < begin || offset > begin + match[0].length) continue
    // A member of the result of a call or an index.
    if (/[.\])]\s*$/.test(line.slice(0, begin)) && /\.\s*$/.test(line.slice(0, begin))) return null
    for (const part of match[0].matchAll(word)) {
      const end = begin + part.index + part[0].length
      if (offset <= end) return { expression: line.slice(begin, end), start: begin + 1, end: end + 1 }
    }
  }
  return null
}

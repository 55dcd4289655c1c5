import { copiedPart } from '../../base/copiedPart.ts'

/**
 * Returns lines of a text, and the numbers of the first and last one. Does not split it, because a file can have millions
 * of lines.
 * @param first 1-based
 * @param limit maximum number of lines
 */
export function linesOf(
  text: string,
  first: number,
  limit = Infinity,
): { text: string; first: number; last: number; total: number } {
  let total = 1
  let start = first === 1 ? 0 : text.length
  let end = limit === 0 ? start : text.length
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    // The line that ends here is inside, and the next one may begin or be left out.
    if (total === first + limit - 1) end = at
    total += 1
    if (total === first) start = at + 1
  }
  return {
    text: copiedPart(text, start, Math.max(start, end)),
    first,
    last: Math.max(first - 1, Math.min(first + limit - 1, total)),
    total,
  }
}

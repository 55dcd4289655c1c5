/** A stretch of text by its offsets, the end exclusive. */
export interface Span {
  start: number
  end: number
}

/**
 * Finds the innermost of nested spans around an offset, by index; null where there is none.
 * @param spans sorted: what encloses stands before what it encloses
 */
export function innermost(spans: readonly Span[]): (offset: number) => number | null {
  const parents: number[] = []
  const open: number[] = []
  for (const [index, { end }] of spans.entries()) {
    while (open.length > 0 && (spans[open.at(-1) ?? 0]?.end ?? 0) < end) open.pop()
    parents.push(open.at(-1) ?? -1)
    open.push(index)
  }
  return (offset) => {
    let low = 0
    let high = spans.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((spans[middle]?.start ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    let index = low - 1
    while (index >= 0 && (spans[index]?.end ?? 0) <= offset) index = parents[index] ?? -1
    return index < 0 ? null : index
  }
}

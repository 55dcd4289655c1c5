/** A range of text offsets with an exclusive end. */
export interface Interval {
  start: number
  end: number
}

/**
 * Returns a function that finds the index of the innermost interval around an offset, or null.
 * @param intervals sorted so that outer intervals precede inner ones
 */
export function innermostInterval(intervals: readonly Interval[]): (offset: number) => number | null {
  const parents: number[] = []
  const open: number[] = []
  for (const [index, { end }] of intervals.entries()) {
    while (open.length > 0 && (intervals[open.at(-1) ?? 0]?.end ?? 0) < end) open.pop()
    parents.push(open.at(-1) ?? -1)
    open.push(index)
  }
  return (offset) => {
    let low = 0
    let high = intervals.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((intervals[middle]?.start ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    let index = low - 1
    while (index >= 0 && (intervals[index]?.end ?? 0) <= offset) index = parents[index] ?? -1
    return index < 0 ? null : index
  }
}

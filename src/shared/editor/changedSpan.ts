/** The range in which two texts differ, in UTF-16 units. */
export interface ChangedSpan {
  start: number
  /** End of the range in the old text, exclusive. */
  oldEnd: number
  /** End of the range in the new text, exclusive. */
  newEnd: number
}

/** Number of UTF-16 units compared at once. Comparing slices is much faster than comparing units one by one. */
const block = 4096

/** Finds the smallest range that contains every difference between two texts. */
export function changedSpan(before: string, after: string): ChangedSpan {
  const minLength = Math.min(before.length, after.length)
  let start = 0
  while (start + block <= minLength && before.slice(start, start + block) === after.slice(start, start + block))
    start += block
  while (start < minLength && before[start] === after[start]) start += 1

  let oldEnd = before.length
  let newEnd = after.length
  const unmatched = () => Math.min(oldEnd, newEnd) - start
  while (unmatched() >= block && before.slice(oldEnd - block, oldEnd) === after.slice(newEnd - block, newEnd)) {
    oldEnd -= block
    newEnd -= block
  }
  while (unmatched() > 0 && before[oldEnd - 1] === after[newEnd - 1]) {
    oldEnd -= 1
    newEnd -= 1
  }
  return { start, oldEnd, newEnd }
}

/** The range in which two texts differ. The text before `start` and after the ends is equal. */
export interface ChangedSpan {
  start: number
  /** Exclusive, in the old text. */
  oldEnd: number
  /** Exclusive, in the new text. */
  newEnd: number
}

/** Number of UTF-16 units compared at once, which is much faster than one by one. */
const block = 4096

/** Finds the range in which two texts differ, in UTF-16 units, by removing their common prefix and suffix. */
export function changedSpan(before: string, after: string): ChangedSpan {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start + block <= shorter && before.slice(start, start + block) === after.slice(start, start + block))
    start += block
  while (start < shorter && before[start] === after[start]) start += 1

  let oldEnd = before.length
  let newEnd = after.length
  const room = () => Math.min(oldEnd, newEnd) - start
  while (room() >= block && before.slice(oldEnd - block, oldEnd) === after.slice(newEnd - block, newEnd)) {
    oldEnd -= block
    newEnd -= block
  }
  while (room() > 0 && before[oldEnd - 1] === after[newEnd - 1]) {
    oldEnd -= 1
    newEnd -= 1
  }
  return { start, oldEnd, newEnd }
}

/** The one stretch in which two texts differ: what stands before `start` and after the two ends is common to both. */
export interface ChangedSpan {
  start: number
  /** Exclusive, in the text before. */
  oldEnd: number
  /** Exclusive, in the text after. */
  newEnd: number
}

/** Long equal stretches are compared as strings, which is far faster than unit by unit. */
const block = 4096

/** Where two texts differ, in UTF-16 units: their common beginning and end are left out. */
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

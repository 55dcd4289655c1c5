/**
 * Counts the lines that two texts have in common at the start and, after these, at the end.
 * @param max limit for each count
 */
export function commonLines(
  before: readonly string[],
  after: readonly string[],
  max = Infinity,
): { head: number; tail: number } {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < Math.min(shorter, max) && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < Math.min(shorter - head, max) && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail += 1
  return { head, tail }
}

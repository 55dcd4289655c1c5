import { setImmediate as nextTurn } from 'node:timers/promises'

/** Number of items sorted before yielding to other work; takes a few milliseconds. */
const partSize = 2000
/** Number of items merged before yielding. */
const mergedAtOnce = 5000

/** Sorts like `toSorted`, but yields to other work. Sorting 100,000 paths takes a third of a second. */
export async function sortInParts<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  let parts: T[][] = []
  for (let at = 0; at < items.length; at += partSize) {
    if (at > 0) await nextTurn()
    parts.push(items.slice(at, at + partSize).toSorted(compare))
  }
  while (parts.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < parts.length; at += 2) merged.push(await merge(parts[at] ?? [], parts[at + 1] ?? [], compare))
    parts = merged
  }
  return parts[0] ?? []
}

/** Merges two sorted lists. Stable: equal items keep the first list's first. */
async function merge<T>(one: readonly T[], other: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  const merged: T[] = []
  let [left, right] = [0, 0]
  while (left < one.length && right < other.length) {
    // The indexes are within the lists.
    const [a, b] = [one[left] as T, other[right] as T]
    if (compare(a, b) <= 0) {
      merged.push(a)
      left += 1
    } else {
      merged.push(b)
      right += 1
    }
    if (merged.length % mergedAtOnce === 0) await nextTurn()
  }
  for (const item of left < one.length ? one.slice(left) : other.slice(right)) merged.push(item)
  return merged
}

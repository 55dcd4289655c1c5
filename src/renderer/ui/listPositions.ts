/** Where a row is among its siblings, for screen readers. */
export interface ListPosition {
  /** From 1. */
  position: number
  /** Number of siblings, itself included. */
  size: number
}

/**
 * Computes the positions of rows among the rows of the same level below the same parent.
 * @param levels the level of each row in page order; the levels of a tree
 */
export function listPositions(levels: readonly number[]): ListPosition[] {
  const positions: ListPosition[] = []
  /** The siblings before the current row, by level, outermost first. */
  const open: { level: number; siblings: ListPosition[] }[] = []
  const close = () => {
    const siblings = open.pop()?.siblings ?? []
    for (const sibling of siblings) sibling.size = siblings.length
  }
  for (const level of levels) {
    while ((open.at(-1)?.level ?? -Infinity) > level) close()
    if (open.at(-1)?.level !== level) open.push({ level, siblings: [] })
    const siblings = open.at(-1)?.siblings ?? []
    const row = { position: siblings.length + 1, size: 0 }
    siblings.push(row)
    positions.push(row)
  }
  while (open.length > 0) close()
  return positions
}

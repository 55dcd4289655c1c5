/** A row's position among its siblings, for screen readers. */
export interface ListPosition {
  /** From 1. */
  position: number
  /** Number of siblings, including the row itself. */
  size: number
}

/** Computes each row's position among its siblings in the tree. @param levels tree level of each row in page order */
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

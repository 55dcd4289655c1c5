/** A line between two lanes within the upper or lower half of a row. Lanes are columns from the left. */
export interface GraphLine {
  from: number
  to: number
  half: 'top' | 'bottom'
  /** Lane that determines the line's color. */
  lane: number
}

export interface GraphRow {
  lane: number
  lines: GraphLine[]
  /** Number of lanes in the row. */
  width: number
}

/** The commit that each lane waits for at the end of a page. Null for a free lane. */
export type Lanes = readonly (string | null)[]

interface GraphCommit {
  hash: string
  parents: readonly string[]
}

function free(lanes: (string | null)[]): number {
  const index = lanes.indexOf(null)
  return index < 0 ? lanes.push(null) - 1 : index
}

/**
 * Pure: computes the lines of the graph. Each commit must precede its parents.
 * @param start lanes at the end of the previous page
 */
export function graphRows(commits: readonly GraphCommit[], start: Lanes = []): { rows: GraphRow[]; lanes: Lanes } {
  const lanes = [...start]
  const rows = commits.map(({ hash, parents }): GraphRow => {
    const before = [...lanes]
    const waiting = lanes.indexOf(hash)
    const lane = waiting < 0 ? free(lanes) : waiting
    const lines: GraphLine[] = []
    for (const [index, awaited] of before.entries()) {
      if (awaited === null) continue
      // All lanes that wait for this commit end in it.
      if (awaited === hash) {
        lines.push({ from: index, to: lane, half: 'top', lane: index })
        lanes[index] = null
      } else {
        lines.push(
          { from: index, to: index, half: 'top', lane: index },
          { from: index, to: index, half: 'bottom', lane: index },
        )
      }
    }
    for (const [order, parent] of parents.entries()) {
      const known = lanes.indexOf(parent)
      // The first parent continues the lane of its child.
      const target = known >= 0 ? known : order === 0 ? lane : free(lanes)
      lanes[target] = parent
      lines.push({ from: lane, to: target, half: 'bottom', lane: order === 0 ? lane : target })
    }
    const width = Math.max(lane + 1, before.length, lanes.length)
    while (lanes.at(-1) === null) lanes.pop()
    return { lane, lines, width }
  })
  return { rows, lanes }
}

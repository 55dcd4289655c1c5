/** A piece of text with its position on the page, in units of 1/72 inch; y increases upwards. */
export interface TextRun {
  text: string
  x: number
  y: number
  width: number
  height: number
}

/** A line of a page as cells from left to right. */
interface Line {
  runs: TextRun[]
  gaps: Gap[]
  blankBefore: boolean
}
/** Separator before a run: none, a space, or a table cell border. */
type Gap = '' | ' ' | ' | '

/**
 * Joins text runs to lines, in the order of the page, which is also the reading order of columns. Runs on one baseline
 * form a line. A gap wider than a letter becomes ` | ` to keep table cells apart. A narrower gap is also a border if
 * the adjacent line has the same columns, since header words are often wider than the cells below.
 */
export function textOfRuns(runs: readonly TextRun[]): string {
  const lines = linesOf(runs)
  // From the middle of a table up to its header, then down to its total.
  for (let at = lines.length - 2; at >= 0; at -= 1) alignToNeighbor(lines[at], lines[at + 1])
  for (let at = 1; at < lines.length; at += 1) alignToNeighbor(lines[at], lines[at - 1])
  return lines
    .map(
      ({ runs: own, gaps, blankBefore }) =>
        `${blankBefore ? '\n' : ''}${own.map(({ text }, index) => (gaps[index] ?? '') + text.trim()).join('')}`,
    )
    .join('\n')
    .trim()
}

function linesOf(runs: readonly TextRun[]): Line[] {
  const lines: Line[] = []
  let before: TextRun | undefined
  for (const run of runs) {
    // pdf.js reports spaces as separate pieces; the positions of the other pieces are more precise.
    if (run.text.trim() === '') continue
    const size = sizeOf(run)
    const line = lines.at(-1)
    if (!line || !before || Math.abs(run.y - before.y) > size / 2 || run.x < before.x) {
      // Keeps a blank line where the page has one.
      lines.push({
        runs: [run],
        gaps: [''],
        blankBefore: before !== undefined && Math.abs(run.y - before.y) > size * 2,
      })
    } else {
      const gap = run.x - (before.x + before.width)
      line.runs.push(run)
      line.gaps.push(
        gap > size ? ' | ' : gap > size * 0.15 || /\s$/.test(before.text) || /^\s/.test(run.text) ? ' ' : '',
      )
    }
    before = run
  }
  return lines
}

/** Applies the column borders of an adjacent line if all columns then line up. */
function alignToNeighbor(line: Line | undefined, beside: Line | undefined): void {
  if (!line || !beside || line.runs.length < 2) return
  const columns = cellsOf(beside)
  if (columns.length < 2 || cellsOf(line).length >= columns.length) return
  const gaps = line.runs.map((run, index): Gap => {
    const old = line.gaps[index] ?? ''
    return old === ' ' && columns.slice(1).some((column) => sameEdge(run, line.runs, index, column)) ? ' | ' : old
  })
  const cells = cellsOf({ ...line, gaps })
  const aligned = cells.length === columns.length && cells.every((cell, index) => overlaps(cell, columns[index]))
  if (aligned) line.gaps = gaps
}

interface Cell {
  left: number
  right: number
  size: number
}

function cellsOf({ runs, gaps }: Line): Cell[] {
  const cells: Cell[] = []
  for (const [index, run] of runs.entries()) {
    const cell = cells.at(-1)
    if (cell && gaps[index] !== ' | ') cell.right = run.x + run.width
    else cells.push({ left: run.x, right: run.x + run.width, size: sizeOf(run) })
  }
  return cells
}

/** Whether a cell is aligned left, right or centered with its column. */
function sameEdge(run: TextRun, runs: readonly TextRun[], index: number, column: Cell): boolean {
  const next = runs[index + 1]
  const right = next && next.x - (run.x + run.width) <= sizeOf(run) * 0.15 ? next.x + next.width : run.x + run.width
  const near = (one: number, other: number) => Math.abs(one - other) <= column.size / 2
  return near(run.x, column.left) || near(right, column.right) || near(run.x + right, column.left + column.right)
}

function overlaps(cell: Cell, column: Cell | undefined): boolean {
  return column !== undefined && cell.left < column.right && column.left < cell.right
}

function sizeOf({ height }: TextRun): number {
  return height || 10
}

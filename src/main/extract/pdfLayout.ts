/** A piece of text as a page places it; units are those of the page (1/72 inch), y grows upwards. */
export interface TextRun {
  text: string
  x: number
  y: number
  width: number
  height: number
}

/** A line of a page: its cells from left to right. */
interface Line {
  runs: TextRun[]
  gaps: Gap[]
  blankBefore: boolean
}
/** What is between a run and the one before: nothing, a space, or the border of a table's cell. */
type Gap = '' | ' ' | ' | '

/**
 * Lines in the order in which the page writes them, which is the reading order of columns as well. Pieces on one baseline are one
 * line; a gap wider than a letter becomes ` | `, so that the cells of a table stay apart. A narrower gap is a border too where the line
 * beside it has the same columns: the words of a header are often wider than what is below them.
 */
export function textOfRuns(runs: readonly TextRun[]): string {
  const lines = linesOf(runs)
  // From the table's middle to its header, then down to a total.
  for (let at = lines.length - 2; at >= 0; at -= 1) alignTo(lines[at], lines[at + 1])
  for (let at = 1; at < lines.length; at += 1) alignTo(lines[at], lines[at - 1])
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
    // pdf.js reports spaces as pieces of their own; the places of the others say more.
    if (run.text.trim() === '') continue
    const size = sizeOf(run)
    const line = lines.at(-1)
    if (!line || !before || Math.abs(run.y - before.y) > size / 2 || run.x < before.x) {
      // A blank line where the page leaves one.
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

/** Gives a line the borders of the one beside it where all of its columns then stand at the same places. */
function alignTo(line: Line | undefined, beside: Line | undefined): void {
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

/** A cell begins or ends where its column does, or lies around its middle. */
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

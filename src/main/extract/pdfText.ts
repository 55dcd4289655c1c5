/** A piece of text as a page places it; units are those of the page (1/72 inch), y grows upwards. */
export interface TextRun {
  text: string
  x: number
  y: number
  width: number
  height: number
}

/**
 * Lines in the order in which the page writes them, which is the reading order of columns as well. Pieces on one baseline are one
 * line; a gap wider than a letter becomes ` | `, so that the cells of a table stay apart.
 */
export function textOfRuns(runs: readonly TextRun[]): string {
  const lines: string[] = []
  let line = ''
  let before: TextRun | undefined
  for (const run of runs) {
    // pdf.js reports spaces as pieces of their own; the places of the others say more.
    if (run.text.trim() === '') continue
    const size = run.height || 10
    if (before && (Math.abs(run.y - before.y) > size / 2 || run.x < before.x)) {
      lines.push(line)
      line = ''
      // A blank line where the page leaves one.
      if (Math.abs(run.y - before.y) > size * 2) lines.push('')
      before = undefined
    }
    if (before) {
      const gap = run.x - (before.x + before.width)
      line += gap > size ? ' | ' : gap > size * 0.15 || /\s$/.test(before.text) || /^\s/.test(run.text) ? ' ' : ''
    }
    line += run.text.trim()
    before = run
  }
  return [...lines, line].join('\n').trim()
}

import type { IBuffer } from '@xterm/xterm'

/** A position in a terminal's buffer. */
export interface Place {
  row: number
  column: number
}

/** Returns the text between two positions of a terminal. Joins wrapped lines. */
export function textBetween(buffer: IBuffer, start: Place, end: Place): string {
  let text = ''
  for (let row = Math.max(0, start.row); row <= Math.min(end.row, buffer.length - 1); row += 1) {
    const line = buffer.getLine(row)
    if (!line || (row === end.row && end.column === 0)) continue
    const isWhole = row < end.row && !buffer.getLine(row + 1)?.isWrapped
    const from = row === start.row ? start.column : 0
    const content =
      row < end.row ? line.translateToString(isWhole, from) : line.translateToString(true, from, end.column)
    text += `${row > start.row && !line.isWrapped ? '\n' : ''}${content}`
  }
  return text.replace(/\n+$/, '')
}

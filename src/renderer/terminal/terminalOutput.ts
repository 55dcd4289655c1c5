import type { IBuffer, IMarker, Terminal } from '@xterm/xterm'

/** A position in a terminal's buffer. */
interface Place {
  row: number
  column: number
}

/** Returns the text between two positions of a terminal. Joins wrapped lines. */
function textBetween(buffer: IBuffer, start: Place, end: Place): string {
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

/** Finds the output of the last command in a terminal. */
export interface LastOutput {
  /** The last command's output, also while it is running; '' if there was none. */
  text(): string
  /** Records what the user types: in shells without marks, Enter starts a command. */
  typed(data: string): void
  dispose(): void
}

/**
 * Follows shell integration marks: `OSC 133` (FinalTerm) and `OSC 633` (VS Code) send C when a command starts and D
 * when it ends. Without them, the output is everything from the last Enter to the prompt's line.
 * @param program whether the terminal runs a program instead of a shell, so that all output belongs to one command
 */
export function followLastOutput(terminal: Terminal, program: boolean): LastOutput {
  let start: IMarker | undefined
  let end: { marker: IMarker; column: number } | undefined
  let marksStart = false

  function begin(rowsBelow: number): void {
    start?.dispose()
    end?.marker.dispose()
    start = terminal.registerMarker(rowsBelow)
    end = undefined
  }

  function onMark(data: string): boolean {
    const kind = data.slice(0, 1)
    if (kind === 'C') {
      marksStart = true
      begin(0)
    } else if (kind === 'D' && start && !end) {
      end = { marker: terminal.registerMarker(0), column: terminal.buffer.active.cursorX }
    }
    // Let other handlers read the mark too.
    return false
  }

  const handlers = [133, 633].map((id) => terminal.parser.registerOscHandler(id, onMark))
  return {
    text() {
      const buffer = terminal.buffer.active
      const cursor = { row: buffer.baseY + buffer.cursorY, column: buffer.cursorX }
      if (program) return textBetween(buffer, { row: 0, column: 0 }, cursor)
      if (!start || start.isDisposed) return ''
      if (end && !end.marker.isDisposed)
        return textBetween(buffer, { row: start.line, column: 0 }, { row: end.marker.line, column: end.column })
      // Without marks, the cursor's line is the prompt.
      return textBetween(buffer, { row: start.line, column: 0 }, marksStart ? cursor : { row: cursor.row, column: 0 })
    },
    typed(data) {
      if (!marksStart && data.includes('\r')) begin(1)
    },
    dispose() {
      for (const handler of handlers) handler.dispose()
      start?.dispose()
      end?.marker.dispose()
    },
  }
}

import type { IBuffer, IMarker, Terminal } from '@xterm/xterm'

/** A place in the buffer of a terminal. */
interface Place {
  row: number
  column: number
}

/** Returns the text between two places of a terminal. Lines that the terminal wrapped are joined. */
function textBetween(buffer: IBuffer, start: number, end: Place): string {
  let text = ''
  for (let row = Math.max(0, start); row <= Math.min(end.row, buffer.length - 1); row += 1) {
    const line = buffer.getLine(row)
    if (!line || (row === end.row && end.column === 0)) continue
    const isWhole = row < end.row && !buffer.getLine(row + 1)?.isWrapped
    const content = row < end.row ? line.translateToString(isWhole) : line.translateToString(true, 0, end.column)
    text += `${row > start && !line.isWrapped ? '\n' : ''}${content}`
  }
  return text.replace(/\n+$/, '')
}

/** Finds the output of the last command in a terminal. */
export interface LastOutput {
  /** The output of the last command, also while it runs; '' if there was none. */
  text(): string
  /** Notes what the user types: Enter starts a command in shells without marks. */
  typed(data: string): void
  dispose(): void
}

/**
 * Follows the marks of shells: `OSC 133` (FinalTerm) and `OSC 633` (VS Code) send C when a command starts and D when it
 * ends. Without them, the output is everything from the last Enter to the line of the prompt.
 * @param program whether a program and not a shell runs in the terminal: all its output is of one command
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
    // Other handlers may read the mark too.
    return false
  }

  const handlers = [133, 633].map((id) => terminal.parser.registerOscHandler(id, onMark))
  return {
    text() {
      const buffer = terminal.buffer.active
      const cursor = { row: buffer.baseY + buffer.cursorY, column: buffer.cursorX }
      if (program) return textBetween(buffer, 0, cursor)
      if (!start || start.isDisposed) return ''
      if (end && !end.marker.isDisposed)
        return textBetween(buffer, start.line, { row: end.marker.line, column: end.column })
      // Without marks the line of the cursor is the prompt.
      return textBetween(buffer, start.line, marksStart ? cursor : { row: cursor.row, column: 0 })
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

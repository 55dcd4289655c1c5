import { TerminalRows, type Row } from './terminalRows.ts'
import { applyControl, applySequence, createSequenceReader } from './terminalSequences.ts'
import { createTruncatedOutput, type OmittedSize } from './truncatedOutput.ts'

/** Output of a program as plain text. */
export interface PlainText {
  write(data: string): void
  /** Returns all text so far, with the middle omitted if it is too long. */
  all(): string
  /** Returns the text that is new or redrawn since the last read. */
  unread(): string
  /** Returns what `all()` or `unread()` omit. */
  missing(of: 'all' | 'unread'): OmittedSize | undefined
  readonly hasUnread: boolean
  markRead(): void
  /** Line of the cursor, up to its end; empty after a newline. */
  readonly lastLine: string
  /** Whether a full-screen program (an editor, a pager) uses the terminal. */
  readonly fullScreen: boolean
}

/**
 * Converts a terminal's byte stream to the text visible on the screen and in the scrollback: without colors and
 * titles, and with progress lines (`\r`, backspace, erase, cursor up) reduced to their last state.
 *
 * Alternatives: `util.stripVTControlCharacters` keeps every state of a progress bar and fails for sequences split
 * between chunks. `@xterm/headless` has a fixed width, so it converts tabs to blanks and drops trailing blanks (a model
 * that copies a Makefile line from `cat` would copy it wrong), and it keeps a cell buffer per job. This keeps lines as
 * strings and does not wrap. Columns are UTF-16 units, which is exact if a line is redrawn with text of the same kind,
 * as progress bars do. Full-screen programs (alternate screen) leave no text, as in a terminal.
 */
export function createPlainText(limit: number): PlainText {
  const kept = createTruncatedOutput(limit)
  const fresh = createTruncatedOutput(limit)
  /** Whether the alternate screen is shown. */
  let alternate = false
  const rows = new TerminalRows((done, end) => {
    // `join` creates one flat string. Concatenating lines would keep a node per line, many times its size.
    const text = (lines: readonly Row[]) => lines.map((line) => shown(line) + end).join('')
    kept.append(text(done))
    fresh.append(text(done.filter((line) => !line.read)))
  })
  const write = createSequenceReader({
    text(text) {
      if (!alternate) rows.put(text)
    },
    control(code) {
      if (!alternate) applyControl(rows, code)
    },
    sequence(final, parameters) {
      if (final === 'h' || final === 'l') {
        if (/^\?(?:47|1047|1049)$/.test(parameters)) alternate = final === 'h'
      } else if (!alternate) applySequence(rows, final, parameters)
    },
  })

  return {
    write,
    all: () => kept.text() + rows.all.map(shown).join('\n'),
    unread() {
      const live = rows.all.filter((line) => !line.read)
      const ended = live.length > 0 && live.at(-1) !== rows.all.at(-1)
      return fresh.text() + live.map(shown).join('\n') + (ended ? '\n' : '')
    },
    missing: (of) => (of === 'all' ? kept : fresh).missing(),
    get hasUnread() {
      return !fresh.empty || rows.all.some((line) => !line.read)
    },
    markRead() {
      fresh.clear()
      for (const line of rows.all) line.read = true
    },
    get lastLine() {
      return rows.current.text
    },
    get fullScreen() {
      return alternate
    },
  }
}

function shown(line: Row): string {
  return (line.redrawn ? line.text.trimEnd() : line.text).toWellFormed()
}

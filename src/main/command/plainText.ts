import { createTruncatedOutput, type Missing } from './truncatedOutput.ts'

/** Number of rows that a program can still redraw. Our terminals are not taller unless resized. */
const liveRows = 200
/** Maximum length of a row. Longer lines are passed on in parts, so that output without newlines stays bounded. */
const maxRowLength = 100_000
/** Maximum length of an escape sequence. */
const maxEscapeLength = 100_000

interface Row {
  text: string
  /** Whether the reader has seen the row in its current state. */
  read: boolean
  /** Whether the row was redrawn, so that trailing blanks are remains of earlier text. */
  redrawn: boolean
}

/** Output of a program as plain text. */
export interface PlainText {
  write(data: string): void
  /** Returns all text so far, with the middle omitted if it is too long. */
  all(): string
  /** Returns the text that is new or redrawn since the last read. */
  unread(): string
  /** Returns what `all()` or `unread()` omit. */
  missing(of: 'all' | 'unread'): Missing | undefined
  readonly hasUnread: boolean
  markRead(): void
  /** Line of the cursor, up to its end; empty after a newline. */
  readonly lastLine: string
  /** Whether a full-screen program (an editor, a pager) uses the terminal. */
  readonly fullScreen: boolean
}

/**
 * Converts a terminal's byte stream to the text visible on the screen and in the scrollback: without colours and
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
  let rows: Row[] = [emptyRow()]
  let row = 0
  let column = 0
  let alternate = false
  /** Start of an incomplete escape sequence. */
  let rest = ''

  function current(): Row {
    let found = rows[row]
    while (found === undefined) {
      rows.push(emptyRow())
      found = rows[row]
    }
    return found
  }

  /** Passes on the first `count` rows, which can no longer change. */
  function settle(count: number): void {
    hand(rows.slice(0, count), '\n')
    rows = rows.slice(count)
    row = Math.max(0, row - count)
  }

  function hand(done: Row[], end: string): void {
    // `join` creates one flat string. Concatenating lines would keep a node per line, many times its size.
    const text = (lines: Row[]) => lines.map((line) => shown(line) + end).join('')
    kept.append(text(done))
    fresh.append(text(done.filter((line) => !line.read)))
  }

  function put(text: string): void {
    const line = current()
    if (column === line.text.length) line.text += text
    else {
      line.text = line.text.slice(0, column).padEnd(column) + text + line.text.slice(column + text.length)
      line.redrawn = true
    }
    line.read = false
    column += text.length
    if (line.text.length > maxRowLength && column === line.text.length) {
      settle(row)
      hand([line], '')
      rows = [emptyRow(), ...rows.slice(1)]
      column = 0
    }
  }

  function lineFeed(): void {
    // An empty line is output too.
    const line = current()
    if (row === rows.length - 1 && line.text === '') line.read = false
    row += 1
    current()
    if (rows.length > 2 * liveRows) settle(liveRows)
  }

  /** Fills the range with blanks in the row of the cursor. */
  function erase(from: number, to: number): void {
    const line = current()
    const text =
      to >= line.text.length
        ? line.text.slice(0, from)
        : line.text.slice(0, from) + ' '.repeat(to - from) + line.text.slice(to)
    if (text === line.text) return
    line.text = text
    line.redrawn = true
    line.read = false
  }

  /** Starts below the current text after the screen was cleared. The text stays as output. */
  function freshScreen(): void {
    if (rows.every((line) => line.text === '')) return
    settle(rows.at(-1)?.text === '' ? rows.length - 1 : rows.length)
    rows = [emptyRow()]
    row = 0
    column = 0
  }

  function control(final: string, parameters: string): void {
    if (final === 'h' || final === 'l') {
      if (/^\?(?:47|1047|1049)$/.test(parameters)) alternate = final === 'h'
      return
    }
    if (alternate || !/^[\d;]*$/.test(parameters)) return
    const first = Number(parameters.split(';')[0] ?? '')
    const count = Math.max(1, first)
    switch (final) {
      case 'A':
        row = Math.max(0, row - count)
        break
      case 'B':
        row = Math.min(rows.length - 1, row + count)
        break
      case 'C':
        column = Math.min(column + count, 1000)
        break
      case 'D':
        column = Math.max(0, column - count)
        break
      case 'E':
        row = Math.min(rows.length - 1, row + count)
        column = 0
        break
      case 'F':
        row = Math.max(0, row - count)
        column = 0
        break
      case 'G':
        column = Math.min(count, 1000) - 1
        break
      case 'H':
      case 'f':
        freshScreen()
        break
      case 'J':
        if (first >= 2) freshScreen()
        else if (first === 0) {
          erase(column, Infinity)
          rows = rows.slice(0, row + 1)
        }
        break
      case 'K':
        if (first === 0) erase(column, Infinity)
        else if (first === 1) erase(0, column + 1)
        else erase(0, Infinity)
        break
      case 'X':
        erase(column, column + count)
        break
      case 'P': {
        const line = current()
        line.text = line.text.slice(0, column) + line.text.slice(column + count)
        line.read = false
        break
      }
      default: // colours, modes, scrolling: no effect on text
    }
  }

  function character(code: number): void {
    if (alternate) return
    switch (code) {
      case 0x08:
        column = Math.max(0, column - 1)
        break
      case 0x09:
        if (column >= current().text.length) put('\t')
        else column = Math.min(current().text.length, (Math.floor(column / 8) + 1) * 8)
        break
      case 0x0a:
      case 0x0b:
      case 0x0c:
        lineFeed()
        break
      case 0x0d:
        column = 0
        break
      default: // bell, shift in and out, C1: no effect on text
    }
  }

  function write(data: string): void {
    const text = rest + data
    rest = ''
    let at = 0
    while (at < text.length) {
      const code = text.charCodeAt(at)
      if (code === 0x1b) {
        const escape = readEscape(text, at)
        if (escape === undefined) {
          if (text.length - at < maxEscapeLength) rest = text.slice(at)
          return
        }
        if (escape.final !== undefined) control(escape.final, escape.parameters)
        at = escape.end
      } else if (isControl(code)) {
        character(code)
        at += 1
      } else {
        let end = at + 1
        while (end < text.length && !isControl(text.charCodeAt(end))) end += 1
        if (!alternate) put(text.slice(at, end))
        at = end
      }
    }
  }

  return {
    write,
    all: () => kept.text() + rows.map(shown).join('\n'),
    unread() {
      const live = rows.filter((line) => !line.read)
      const ended = live.length > 0 && live.at(-1) !== rows.at(-1)
      return fresh.text() + live.map(shown).join('\n') + (ended ? '\n' : '')
    },
    missing: (of) => (of === 'all' ? kept : fresh).missing(),
    get hasUnread() {
      return !fresh.empty || rows.some((line) => !line.read)
    },
    markRead() {
      fresh.clear()
      for (const line of rows) line.read = true
    },
    get lastLine() {
      return current().text
    },
    get fullScreen() {
      return alternate
    },
  }
}

function emptyRow(): Row {
  return { text: '', read: true, redrawn: false }
}

function shown(line: Row): string {
  return (line.redrawn ? line.text.trimEnd() : line.text).toWellFormed()
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code < 0xa0)
}

/**
 * Reads the escape sequence at `start`; undefined if it is incomplete. `final` is set for CSI sequences. ECMA-48 §5.4.
 */
function readEscape(text: string, start: number): { end: number; final?: string; parameters: string } | undefined {
  const kind = text[start + 1]
  if (kind === undefined) return undefined
  if (kind === '[') {
    let at = start + 2
    while (at < text.length && text.charCodeAt(at) >= 0x20 && text.charCodeAt(at) < 0x40) at += 1
    const final = text[at]
    if (final === undefined) return undefined
    // A control character breaks the sequence; text follows.
    if (text.charCodeAt(at) < 0x20) return { end: at, parameters: '' }
    return { end: at + 1, final, parameters: text.slice(start + 2, at) }
  }
  if (']PX^_'.includes(kind)) {
    // Strings (title, link, image) end with BEL or ESC \.
    for (let at = start + 2; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === 0x07) return { end: at + 1, parameters: '' }
      if (code === 0x1b)
        return at + 1 < text.length ? { end: text[at + 1] === '\\' ? at + 2 : at, parameters: '' } : undefined
    }
    return undefined
  }
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) >= 0x20 && text.charCodeAt(at) < 0x30) at += 1
  return at < text.length ? { end: at + 1, parameters: '' } : undefined
}

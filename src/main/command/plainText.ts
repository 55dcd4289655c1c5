import { TerminalRows, type Row } from './terminalRows.ts'
import { createTruncatedOutput, type OmittedSize } from './truncatedOutput.ts'

/** Maximum length of an escape sequence. */
const maxEscapeLength = 100_000

/** Elements of a terminal's byte stream. */
interface SequenceHandler {
  text(text: string): void
  /** A control character. */
  control(code: number): void
  /** A control sequence (CSI), e.g. final `K` with parameters `2`. */
  sequence(final: string, parameters: string): void
}

/** Returns a function that splits a stream into text and control sequences. Chunks can end anywhere. */
function createSequenceReader(handler: SequenceHandler): (data: string) => void {
  /** Start of an incomplete escape sequence. */
  let rest = ''
  return (data) => {
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
        if (escape.final !== undefined) handler.sequence(escape.final, escape.parameters)
        at = escape.end
      } else if (isControl(code)) {
        handler.control(code)
        at += 1
      } else {
        let end = at + 1
        while (end < text.length && !isControl(text.charCodeAt(end))) end += 1
        handler.text(text.slice(at, end))
        at = end
      }
    }
  }
}

/** Effects of control sequences on rows, by final character. Others (colors, modes, scrolling) do not affect text. */
const effects: Readonly<Record<string, (rows: TerminalRows, first: number) => void>> = {
  A: (rows, first) => rows.up(atLeastOne(first)),
  B: (rows, first) => rows.up(-atLeastOne(first)),
  C: (rows, first) => rows.right(atLeastOne(first)),
  D: (rows, first) => rows.right(-atLeastOne(first)),
  E(rows, first) {
    rows.up(-atLeastOne(first))
    rows.toColumn(0)
  },
  F(rows, first) {
    rows.up(atLeastOne(first))
    rows.toColumn(0)
  },
  G: (rows, first) => rows.toColumn(atLeastOne(first) - 1),
  H: (rows) => rows.freshScreen(),
  f: (rows) => rows.freshScreen(),
  J(rows, first) {
    if (first >= 2) rows.freshScreen()
    else if (first === 0) rows.eraseBelow()
  },
  K(rows, first) {
    if (first === 0) rows.eraseToEnd()
    else if (first === 1) rows.eraseToStart()
    else rows.eraseRow()
  },
  X: (rows, first) => rows.eraseCharacters(atLeastOne(first)),
  P: (rows, first) => rows.deleteCharacters(atLeastOne(first)),
}

const atLeastOne = (count: number): number => Math.max(1, count)

function applySequence(rows: TerminalRows, final: string, parameters: string): void {
  if (!/^[\d;]*$/.test(parameters)) return
  if (Object.hasOwn(effects, final)) effects[final]?.(rows, Number(parameters.split(';')[0] ?? ''))
}

/** Applies a control character. Bell, shift in and out, and C1 do not affect text. */
function applyControl(rows: TerminalRows, code: number): void {
  if (code === 0x08) rows.right(-1)
  else if (code === 0x09) rows.tab()
  else if (code >= 0x0a && code <= 0x0c) rows.lineFeed()
  else if (code === 0x0d) rows.toColumn(0)
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
    // A control character aborts the sequence; text follows.
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

/** Output of a program as plain text. */
export interface PlainText {
  write(data: string): void
  /** Returns all text so far, with the middle omitted if it is too long. */
  all(): string
  /** Returns the text added or redrawn since the last read. */
  unread(): string
  /** Returns what `all()` or `unread()` omit. */
  missing(of: 'all' | 'unread'): OmittedSize | undefined
  readonly hasUnread: boolean
  markRead(): void
  /** Line of the cursor, from start to end; empty after a newline. */
  readonly lastLine: string
  /** Whether a full-screen program (an editor, a pager) uses the terminal. */
  readonly fullScreen: boolean
}

/**
 * Converts a terminal's byte stream to the text visible on the screen and in the scrollback: without colors and titles,
 * and with progress lines (`\r`, backspace, erase, cursor up) reduced to their last state.
 *
 * Alternatives: `util.stripVTControlCharacters` keeps every state of a progress bar and fails for sequences split
 * between chunks. `@xterm/headless` has a fixed width, so it converts tabs to spaces and drops trailing spaces (a model
 * that copies a Makefile line from `cat` would copy it wrong), and it keeps a cell buffer per job. This keeps lines as
 * strings and does not wrap. Columns are UTF-16 units, which is exact if a line is redrawn with the same kind of text,
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

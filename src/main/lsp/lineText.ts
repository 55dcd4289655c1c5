import type { Position, PositionEncodingKind, Range } from 'vscode-languageserver-protocol'
import type { ChangedSpan } from '../../shared/editor/changedSpan.ts'
import type { TextRange } from '../../shared/language/languageServers.ts'

/** Text with `\n` line breaks, and the offsets of its lines. */
export class LineText {
  readonly text: string
  #starts: number[] | undefined

  constructor(text: string) {
    this.text = text
  }

  get #lineStarts(): number[] {
    if (this.#starts) return this.#starts
    const starts = [0]
    for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n', at + 1)) starts.push(at + 1)
    return (this.#starts = starts)
  }

  get lineCount(): number {
    return this.#lineStarts.length
  }

  /** Returns a line without its line break. @param index 0-based; '' beyond the end */
  line(index: number): string {
    const start = this.#lineStarts[index]
    if (start === undefined) return ''
    const next = this.#lineStarts[index + 1]
    return this.text.slice(start, next === undefined ? undefined : next - 1)
  }

  /** Returns the length of a line without its line break. @param index 0-based; 0 beyond the end */
  lineLength(index: number): number {
    const start = this.#lineStarts[index]
    if (start === undefined) return 0
    const next = this.#lineStarts[index + 1]
    return (next === undefined ? this.text.length : next - 1) - start
  }

  /** Returns the text after a change. Only the changed part is searched for line breaks, unless no line was needed yet. */
  edited(text: string, { start, oldEnd, newEnd }: ChangedSpan): LineText {
    const after = new LineText(text)
    const before = this.#starts
    if (!before) return after
    const starts = before.slice(0, this.placeOf(start).line + 1)
    for (let at = text.indexOf('\n', start); at >= 0 && at < newEnd; at = text.indexOf('\n', at + 1))
      starts.push(at + 1)
    for (let line = this.placeOf(oldEnd).line + 1; line < before.length; line += 1)
      starts.push((before[line] ?? 0) + newEnd - oldEnd)
    after.#starts = starts
    return after
  }

  /** Returns the offset of a 1-based line and UTF-16 column. */
  offsetOf({ line, column }: { line: number; column: number }): number {
    return (this.#lineStarts[line - 1] ?? this.text.length) + column - 1
  }

  /** Returns the 0-based line and UTF-16 column of an offset. */
  placeOf(offset: number): { line: number; column: number } {
    const starts = this.#lineStarts
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low, column: offset - (starts[low] ?? 0) }
  }
}

/** Converts positions between the server's encoding and 1-based lines and UTF-16 columns. */
export interface PositionCodec {
  toServer(lines: LineText, place: { line: number; column: number }): Position
  rangeToServer(lines: LineText, range: TextRange): Range
  /**
   * Positions beyond the end become the end.
   * @param lines the text that the position refers to; null if unknown. The result is then exact only in UTF-16
   */
  fromServer(lines: LineText | null, position: Position): { line: number; column: number }
  rangeFromServer(lines: LineText | null, range: Range): TextRange
  /** Returns the 0-based UTF-16 column for a server's column, at most the length of the line. @param line 0-based */
  columnFromServer(lines: LineText, line: number, character: number): number
  /** Whether positions can only be converted with the text. */
  readonly needsText: boolean
}

/** @param encoding negotiated when the server starts; servers that name none use UTF-16 */
export function createPositionCodec(encoding: PositionEncodingKind = 'utf-16'): PositionCodec {
  const { encode, decode } = encodings[encoding] ?? utf16
  const needsText = encode !== utf16.encode

  function toServer(lines: LineText, { line, column }: { line: number; column: number }): Position {
    const index = Math.min(line, lines.lineCount) - 1
    const text = lines.line(index)
    return { line: index, character: encode(text, line > lines.lineCount ? text.length : column - 1) }
  }

  function fromServer(lines: LineText | null, position: Position): { line: number; column: number } {
    const line = wholeNumber(position.line)
    if (!lines) return { line: line + 1, column: wholeNumber(position.character) + 1 }
    const last = lines.lineCount - 1
    if (line > last) return { line: last + 1, column: lines.lineLength(last) + 1 }
    return { line: line + 1, column: columnFromServer(lines, line, position.character) + 1 }
  }

  function columnFromServer(lines: LineText, line: number, character: number): number {
    const whole = wholeNumber(character)
    // UTF-16 only needs the length of the line, and most servers use it.
    return needsText ? decode(lines.line(line), whole) : Math.min(whole, lines.lineLength(line))
  }

  return {
    needsText,
    toServer,
    fromServer,
    columnFromServer,
    rangeToServer: (lines, { startLine, startColumn, endLine, endColumn }) => ({
      start: toServer(lines, { line: startLine, column: startColumn }),
      end: toServer(lines, { line: endLine, column: endColumn }),
    }),
    rangeFromServer(lines, { start, end }) {
      const from = fromServer(lines, start)
      const to = fromServer(lines, end)
      const reversed = to.line < from.line || (to.line === from.line && to.column < from.column)
      const until = reversed ? from : to
      return { startLine: from.line, startColumn: from.column, endLine: until.line, endColumn: until.column }
    },
  }
}

interface Encoding {
  /** Returns the server's column for a UTF-16 offset in a line. */
  encode(line: string, offset: number): number
  /** Returns the UTF-16 offset for a server's column, at most the length of the line. */
  decode(line: string, character: number): number
}

const utf16: Encoding = {
  encode: (line, offset) => Math.min(offset, line.length),
  decode: (line, character) => Math.min(character, line.length),
}

/** @param unitsOf number of code units of a code point in the encoding */
function byCodePoint(unitsOf: (codePoint: number) => number): Encoding {
  return {
    encode(line, offset) {
      let units = 0
      for (let at = 0; at < Math.min(offset, line.length);) {
        const codePoint = line.codePointAt(at) ?? 0
        units += unitsOf(codePoint)
        at += codePoint > 0xffff ? 2 : 1
      }
      return units
    },
    decode(line, character) {
      let units = 0
      let at = 0
      while (at < line.length && units < character) {
        const codePoint = line.codePointAt(at) ?? 0
        units += unitsOf(codePoint)
        at += codePoint > 0xffff ? 2 : 1
      }
      return at
    },
  }
}

const encodings: Partial<Record<string, Encoding>> = {
  'utf-16': utf16,
  'utf-8': byCodePoint((codePoint) => (codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4)),
  'utf-32': byCodePoint(() => 1),
}

/** Largest position in the protocol. The window adds 1 to it. */
const maxPosition = 2 ** 31 - 2

function wholeNumber(value: number): number {
  return Number.isInteger(value) && value > 0 ? Math.min(value, maxPosition) : 0
}

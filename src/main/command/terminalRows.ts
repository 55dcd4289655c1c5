/** Number of rows that a program can still redraw. Tizona's terminals are not taller unless resized. */
const liveRows = 200
/** Maximum length of a row. Longer lines are passed on in parts, which bounds output without newlines. */
const maxRowLength = 100_000
/** Maximum column that an escape sequence can move to. */
const maxColumn = 1000

export interface Row {
  text: string
  /** Whether the reader has seen the row in its current state. */
  read: boolean
  /** Whether the row was redrawn, so that trailing blanks are left over from earlier text. */
  redrawn: boolean
}

/** The last rows of a terminal, which a program can redraw, and its cursor. */
export class TerminalRows {
  #rows: Row[] = [emptyRow()]
  #row = 0
  #column = 0
  readonly #settled: (rows: readonly Row[], end: string) => void

  /** @param settled receives rows that can no longer change, and how each of them ends */
  constructor(settled: (rows: readonly Row[], end: string) => void) {
    this.#settled = settled
  }

  get all(): readonly Row[] {
    return this.#rows
  }

  /** Row of the cursor. */
  get current(): Row {
    let found = this.#rows[this.#row]
    while (found === undefined) {
      this.#rows.push(emptyRow())
      found = this.#rows[this.#row]
    }
    return found
  }

  put(text: string): void {
    const line = this.current
    const column = this.#column
    if (column === line.text.length) line.text += text
    else {
      line.text = line.text.slice(0, column).padEnd(column) + text + line.text.slice(column + text.length)
      line.redrawn = true
    }
    line.read = false
    this.#column += text.length
    if (line.text.length > maxRowLength && this.#column === line.text.length) {
      this.#settle(this.#row)
      this.#settled([line], '')
      this.#rows = [emptyRow(), ...this.#rows.slice(1)]
      this.#column = 0
    }
  }

  lineFeed(): void {
    // An empty line is output too.
    const line = this.current
    if (this.#row === this.#rows.length - 1 && line.text === '') line.read = false
    this.#row += 1
    if (this.#row === this.#rows.length) this.#rows.push(emptyRow())
    if (this.#rows.length > 2 * liveRows) this.#settle(liveRows)
  }

  tab(): void {
    const { length } = this.current.text
    if (this.#column >= length) this.put('\t')
    else this.#column = Math.min(length, (Math.floor(this.#column / 8) + 1) * 8)
  }

  /** Moves the cursor up or, with a negative count, down. */
  up(count: number): void {
    this.#row = Math.min(this.#rows.length - 1, Math.max(0, this.#row - count))
  }

  /** Moves the cursor right or, with a negative count, left. */
  right(count: number): void {
    this.#column = Math.max(0, count > 0 ? Math.min(this.#column + count, maxColumn) : this.#column + count)
  }

  toColumn(column: number): void {
    this.#column = Math.min(column, maxColumn - 1)
  }

  eraseToEnd(): void {
    this.#erase(this.#column, Infinity)
  }

  eraseToStart(): void {
    this.#erase(0, this.#column + 1)
  }

  eraseRow(): void {
    this.#erase(0, Infinity)
  }

  eraseCharacters(count: number): void {
    this.#erase(this.#column, this.#column + count)
  }

  eraseBelow(): void {
    this.eraseToEnd()
    this.#rows = this.#rows.slice(0, this.#row + 1)
  }

  /** Removes characters, so that the text after them moves left. */
  deleteCharacters(count: number): void {
    const line = this.current
    line.text = line.text.slice(0, this.#column) + line.text.slice(this.#column + count)
    line.read = false
  }

  /** Moves below the current text after the screen was cleared. The text remains as output. */
  freshScreen(): void {
    if (this.#rows.every((line) => line.text === '')) return
    this.#settle(this.#rows.at(-1)?.text === '' ? this.#rows.length - 1 : this.#rows.length)
    this.#rows = [emptyRow()]
    this.#row = 0
    this.#column = 0
  }

  /** Fills a range of the cursor's row with blanks. */
  #erase(from: number, to: number): void {
    const line = this.current
    const text =
      to >= line.text.length
        ? line.text.slice(0, from)
        : line.text.slice(0, from) + ' '.repeat(to - from) + line.text.slice(to)
    if (text === line.text) return
    line.text = text
    line.redrawn = true
    line.read = false
  }

  /** Passes on the first `count` rows. */
  #settle(count: number): void {
    this.#settled(this.#rows.slice(0, count), '\n')
    this.#rows = this.#rows.slice(count)
    this.#row = Math.max(0, this.#row - count)
  }
}

function emptyRow(): Row {
  return { text: '', read: true, redrawn: false }
}

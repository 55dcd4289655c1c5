/** What the reader found; `Buffer`s are only valid during the call. */
export interface MessageSink {
  /** A whole JSON line. @returns whether to go on */
  message(line: Buffer): boolean
  /**
   * A line too long to keep. `head` is its beginning: up to what follows the searched text (`"line_number":…`) where
   * the text itself fits, else a piece of it, and `tail` holds what follows. @returns whether to go on
   */
  oversized(head: Buffer, tail: string): boolean
}

/** The text of a matched line ends here. Inside JSON strings a quote is always escaped, so this cannot be part of one. */
export const textEnd = '},"line_number":'
const maxTail = 512

/**
 * Cuts ripgrep's `--json` output into lines with bounded memory: a line longer than `maxLine` bytes is dropped but for its
 * head and the numbers behind its text.
 */
export class MessageReader {
  readonly #sink: MessageSink
  readonly #maxLine: number
  readonly #headSize: number
  #parts: Buffer[] = []
  #length = 0
  /** Set while the rest of an oversized line goes by. */
  #oversized: { head: Buffer; carry: Buffer; tail: string | undefined } | undefined

  constructor(sink: MessageSink, sizes: { maxLine?: number; head?: number } = {}) {
    this.#sink = sink
    this.#maxLine = sizes.maxLine ?? 32 * 1024 * 1024
    this.#headSize = sizes.head ?? 64 * 1024
  }

  /** Takes the next piece of output. @returns whether the sink wants more */
  push(chunk: Buffer): boolean {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(10, start)
      if (end < 0) break
      if (!this.#finishLine(chunk.subarray(start, end))) return false
      start = end + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
    return true
  }

  #finishLine(rest: Buffer): boolean {
    if (this.#oversized === undefined && this.#length === 0) return this.#sink.message(rest)
    this.#keep(rest)
    const { head, tail } = this.#oversized ?? {}
    const line = head === undefined ? Buffer.concat(this.#parts, this.#length) : undefined
    this.#parts = []
    this.#length = 0
    this.#oversized = undefined
    if (line !== undefined) return this.#sink.message(line)
    return head === undefined || this.#sink.oversized(head, tail ?? '')
  }

  #keep(piece: Buffer): void {
    if (this.#oversized) return this.#scan(this.#oversized, piece)
    this.#parts.push(piece)
    this.#length += piece.length
    if (this.#length <= this.#maxLine) return
    const line = Buffer.concat(this.#parts, this.#length)
    this.#parts = []
    const end = line.indexOf(textEnd)
    if (end >= 0)
      this.#oversized = { head: Buffer.from(line.subarray(0, end + maxTail)), carry: Buffer.alloc(0), tail: '' }
    else {
      this.#oversized = { head: Buffer.from(line.subarray(0, this.#headSize)), carry: Buffer.alloc(0), tail: undefined }
      this.#scan(this.#oversized, line)
    }
  }

  /** Looks for the end of the text, which may lie across two pieces, and keeps a little of what follows. */
  #scan(state: { carry: Buffer; tail: string | undefined }, piece: Buffer): void {
    if (state.tail !== undefined) {
      if (state.tail.length < maxTail) state.tail += piece.subarray(0, maxTail).toString('latin1')
      return
    }
    const window = state.carry.length > 0 ? Buffer.concat([state.carry, piece]) : piece
    const found = window.indexOf(textEnd)
    if (found >= 0) state.tail = window.subarray(found, found + maxTail).toString('latin1')
    else state.carry = Buffer.from(window.subarray(Math.max(0, window.length - textEnd.length)))
  }
}

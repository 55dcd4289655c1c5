/** Receives the parsed lines. Buffers are only valid during the call. */
export interface MessageSink {
  /** Receives a complete JSON line. @returns whether to continue */
  message(line: Buffer): boolean
  /**
   * Receives a line that is too long to keep. `head` is its start, up to the part after the searched text
   * (`"line_number":…`) if the text fits; `tail` is what follows the text.
   * @returns whether to continue
   */
  oversized(head: Buffer, tail: string): boolean
}

/** End of the text of a matched line. JSON strings escape quotes, so this cannot occur inside one. */
export const textEnd = '},"line_number":'
const maxTail = 512

/**
 * Splits ripgrep's `--json` output into lines with bounded memory. If a line exceeds `maxLine` bytes, only keeps its
 * start and the numbers after its text.
 */
export class MessageReader {
  readonly #sink: MessageSink
  readonly #maxLine: number
  readonly #headSize: number
  #parts: Buffer[] = []
  #length = 0
  /** Set while skipping the rest of an oversized line. */
  #oversized: { head: Buffer; carry: Buffer; tail: string | undefined } | undefined

  constructor(sink: MessageSink, sizes: { maxLine?: number; head?: number } = {}) {
    this.#sink = sink
    this.#maxLine = sizes.maxLine ?? 32 * 1024 * 1024
    this.#headSize = sizes.head ?? 64 * 1024
  }

  /** Processes the next chunk of output. @returns whether the sink wants more */
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

  /** Searches for the end of the text, which can span two chunks, and keeps some of what follows. */
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

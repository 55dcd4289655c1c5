import type { LineChange } from './grammarMessages.ts'

const lineBreak = /\r\n|\r|\n/

/** State of a tokenizer between two lines. */
interface State {
  equals(other: this): boolean
}

/** A text whose lines are tokenized in order, and after a change only as far as the change has an effect. */
export class TokenizedText<S extends State> {
  readonly #lines: string[]
  /** State at the end of each line, with which the next one was tokenized unless that is stale. */
  readonly #ends: (S | undefined)[]
  /** Whether the tokens of each line are out of date. */
  readonly #stale: boolean[]
  /** Index of the first stale line; -1 if there is none. */
  #next = 0

  constructor(text: string) {
    this.#lines = text.split(lineBreak)
    this.#ends = this.#lines.map(() => undefined)
    this.#stale = this.#lines.map(() => true)
  }

  /** Whether all tokens are up to date. */
  get isComplete(): boolean {
    return this.#next < 0
  }

  /** Number of the line that is tokenized next, 1-based. */
  get nextLine(): number {
    return this.#next + 1
  }

  /** Applies changes in their order, which is from the end of the text to its start. */
  apply(changes: readonly LineChange[]): void {
    for (const { startLine, startColumn, endLine, endColumn, text } of changes) {
      const before = (this.#lines[startLine - 1] ?? '').slice(0, startColumn - 1)
      const after = (this.#lines[endLine - 1] ?? '').slice(endColumn - 1)
      const lines = `${before}${text}${after}`.split(lineBreak)
      const first = startLine - 1
      const removed = endLine - first
      // The next line was tokenized with the state after the last one.
      const ends = [...lines.slice(1).map(() => undefined), this.#ends[endLine - 1]]
      splice(this.#lines, first, removed, lines)
      splice(this.#ends, first, removed, ends)
      splice(
        this.#stale,
        first,
        removed,
        lines.map(() => true),
      )
      if (this.#next < 0 || first < this.#next) this.#next = first
    }
  }

  /** Tokenizes the next line. @param tokenize `start`: undefined for the first line */
  tokenizeNext<T>(tokenize: (line: string, start: S | undefined) => { tokens: T; end: S }): T {
    const index = this.#next
    const before = this.#ends[index]
    const { tokens, end } = tokenize(this.#lines[index] ?? '', index === 0 ? undefined : this.#ends[index - 1])
    this.#ends[index] = end
    this.#stale[index] = false
    if (!before?.equals(end) && index + 1 < this.#lines.length) this.#stale[index + 1] = true
    this.#next = this.#stale.indexOf(true, index + 1)
    return tokens
  }
}

/** Like `Array.splice`, for lists that are too long for arguments. */
function splice<T>(list: T[], at: number, removed: number, added: readonly T[]): void {
  if (added.length < 10_000) return void list.splice(at, removed, ...added)
  const tail = list.splice(at).slice(removed)
  for (const each of added) list.push(each)
  for (const each of tail) list.push(each)
}

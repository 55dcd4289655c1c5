import { truncatedArguments, emptyArguments, type FoundCall, type ArgumentValues } from './dialect.ts'

/** Python calls as a list, `[f(a=1, b="x"), g()]`, or a single one, `f(a=1)`. */
export interface PythonicCalls {
  calls: FoundCall[]
  /** The position after the list or call, or the length of a truncated text. */
  end: number
  /** The text is truncated, so the last call may be incomplete. */
  truncated: boolean
}

/**
 * Reads calls with literal keyword arguments. Positional arguments, names and expressions do not match.
 * Source: Llama 3.2's and Llama 4's prompt formats, LFM2's model card, vLLM's parser `pythonic`.
 */
export function readPythonCalls(text: string, from: number): PythonicCalls | undefined {
  return read(text, from, (reader) => {
    reader.space()
    return reader.take('[') ? 'list' : 'single'
  })
}

/** Reads one call per line, without brackets. Source: vLLM's parser `olmo3`. */
export function readPythonLines(text: string, from: number): PythonicCalls | undefined {
  return read(text, from, () => 'lines')
}

function read(
  text: string,
  from: number,
  formOf: (reader: PythonText) => 'list' | 'single' | 'lines',
): PythonicCalls | undefined {
  const reader = new PythonText(text, from)
  const calls: FoundCall[] = []
  try {
    const form = formOf(reader)
    for (;;) {
      reader.space()
      if (form === 'list' && reader.take(']')) return { calls, end: reader.at, truncated: false }
      calls.push(readCall(reader))
      const { at } = reader
      if (form === 'single') return { calls, end: at, truncated: false }
      reader.space()
      if (form === 'lines' && !/[A-Za-z_]/.test(text.charAt(reader.at))) return { calls, end: at, truncated: false }
      if (form === 'list' && !reader.take(',') && !reader.isAt(']')) throw reader.unexpected()
    }
  } catch (error) {
    if (error instanceof SyntaxMismatch) return undefined
    if (!(error instanceof UnexpectedEnd)) throw error
    if (error.call) calls.push(error.call)
    return { calls, end: text.length, truncated: true }
  }
}

function readCall(reader: PythonText): FoundCall {
  // Llama 3.1 calls its built-in tools as `brave_search.call(…)`.
  const name = reader.match(/[A-Za-z_][\w.-]*/y)?.replace(/\.call$/, '')
  if (!name || !reader.take('(')) throw reader.unexpected()
  const values = emptyArguments()
  try {
    for (;;) {
      reader.space()
      if (reader.take(')')) return { name, arguments: JSON.stringify(values) }
      const key = reader.match(/[A-Za-z_]\w*/y)
      reader.space()
      if (!key || !reader.take('=')) throw reader.unexpected()
      values[key] = reader.value()
      reader.space()
      if (!reader.take(',') && !reader.isAt(')')) throw reader.unexpected()
    }
  } catch (error) {
    throw error instanceof UnexpectedEnd ? new UnexpectedEnd({ name, arguments: truncatedArguments(values) }) : error
  }
}

/** The text is not a literal. */
class SyntaxMismatch extends Error {}

/** The text ends inside a literal or call. */
class UnexpectedEnd extends Error {
  /** The incomplete call, if the text ends in one. */
  readonly call: FoundCall | undefined
  constructor(call?: FoundCall) {
    super('the text ends inside a literal')
    this.call = call
  }
}

/** Maximum nesting of literals. More could overflow the stack. */
const maxDepth = 200

/** Parses the Python literals that occur in calls. Source: Python's language reference, "Literals". */
class PythonText {
  readonly #text: string
  #at: number
  #depth = 0

  constructor(text: string, from: number) {
    this.#text = text
    this.#at = from
  }

  get at(): number {
    return this.#at
  }

  /** @throws UnexpectedEnd if the text ends inside the literal; SyntaxMismatch if there is none */
  value(): unknown {
    this.space()
    if (this.isAt('"') || this.isAt("'") || /^[rR]["']/.test(this.#text.slice(this.#at, this.#at + 2)))
      return this.#texts()
    if (this.take('[')) return this.#nested(() => this.#list(']'))
    if (this.take('(')) return this.#nested(() => this.#list(')'))
    if (this.take('{')) return this.#nested(() => this.#record())
    const number = this.match(/[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y)
    if (number !== undefined) return Number(number)
    const word = this.match(/(?:True|False|None|true|false|null)\b/y)
    if (word === undefined) throw this.unexpected()
    // More text may extend the word.
    if (this.#at === this.#text.length) throw new UnexpectedEnd()
    return word.toLowerCase() === 'true' ? true : word.toLowerCase() === 'false' ? false : null
  }

  match(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at
    const found = sticky.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  isAt(character: string): boolean {
    return this.#text[this.#at] === character
  }

  take(character: string): boolean {
    if (!this.isAt(character)) return false
    this.#at += 1
    return true
  }

  space(): void {
    this.match(/\s+/y)
  }

  unexpected(): UnexpectedEnd | SyntaxMismatch {
    const rest = this.#text.slice(this.#at, this.#at + 6)
    const isWordBegun =
      this.#at + rest.length === this.#text.length &&
      ['True', 'False', 'None', 'true', 'false', 'null'].some((word) => word.startsWith(rest))
    const isNumberBegun =
      /^[-+]?\d*(?:\.\d*)?(?:[eE][+-]?)?$/.test(this.#text.slice(this.#at, this.#at + 40)) &&
      this.#text.length - this.#at < 40
    return isWordBegun || isNumberBegun ? new UnexpectedEnd() : new SyntaxMismatch()
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1
    if (this.#depth > maxDepth) throw new SyntaxMismatch()
    const value = read()
    this.#depth -= 1
    return value
  }

  /** Reads one string literal, or several adjacent ones, which Python concatenates. */
  #texts(): string {
    let joined = ''
    do {
      joined += this.#string()
      this.space()
    } while (this.isAt('"') || this.isAt("'"))
    return joined
  }

  #string(): string {
    const isRaw = this.take('r') || this.take('R')
    const quote = this.match(/"""|'''|"|'/y)
    if (quote === undefined) throw this.unexpected()
    const start = this.#at
    for (let at = start; at < this.#text.length; at++) {
      if (this.#text[at] === '\\') at += 1
      else if (this.#text.startsWith(quote, at)) {
        this.#at = at + quote.length
        const inner = this.#text.slice(start, at)
        return isRaw
          ? inner
          : inner.replaceAll(/\\(U[\dA-Fa-f]{8}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|[0-7]{1,3}|\r\n|[\s\S])/g, unescaped)
      }
    }
    throw new UnexpectedEnd()
  }

  #list(end: string): unknown[] {
    const values: unknown[] = []
    for (;;) {
      this.space()
      if (this.take(end)) return values
      values.push(this.value())
      this.space()
      if (!this.take(',') && !this.isAt(end)) throw this.unexpected()
    }
  }

  #record(): ArgumentValues {
    const values = emptyArguments()
    for (;;) {
      this.space()
      if (this.take('}')) return values
      const key = this.value()
      this.space()
      if (typeof key !== 'string' || !this.take(':')) throw this.unexpected()
      values[key] = this.value()
      this.space()
      if (!this.take(',') && !this.isAt('}')) throw this.unexpected()
    }
  }
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  a: '\x07',
  v: '\v',
  '\n': '',
  '\r\n': '',
}

function unescaped(whole: string, escape: string): string {
  if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8))
  if (/^[Uux][\dA-Fa-f]/.test(escape) && escape.length > 1) {
    const code = Number.parseInt(escape.slice(1), 16)
    return code > 0x10ffff ? whole : String.fromCodePoint(code)
  }
  if (escape === '\\' || escape === '"' || escape === "'") return escape
  // Python keeps the backslash of an unknown escape.
  return escapes[escape] ?? whole
}

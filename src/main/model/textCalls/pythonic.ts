import { stringEnd } from '../jsonScan.ts'
import { cutArguments, type FoundCall } from './dialect.ts'

/** Python's calls as a list, `[f(a=1, b="x"), g()]`, or a single one, `f(a=1)`. */
export interface PythonicCalls {
  calls: FoundCall[]
  /** The place after the list or call; the text's length where it was cut off. */
  end: number
}

/**
 * Reads calls with literal arguments by name; anything else (positions, names, sums) is no call.
 * Source: Llama 3.2's and Llama 4's prompt formats, LFM2's model card, vLLM's parser `pythonic`.
 */
export function readPythonic(text: string, from: number): PythonicCalls | undefined {
  const reader = new Reader(text, from)
  try {
    return reader.calls()
  } catch (error) {
    if (error instanceof NotPythonic) return undefined
    throw error
  }
}

class NotPythonic extends Error {}
/** The text ends inside a literal. */
class CutOff extends Error {}

/** A reader of Python's literals, no more of the language than calls are written in. */
class Reader {
  readonly #text: string
  #at: number

  constructor(text: string, from: number) {
    this.#text = text
    this.#at = from
  }

  calls(): PythonicCalls {
    this.#space()
    const list = this.#take('[')
    const calls: FoundCall[] = []
    do {
      this.#space()
      if (list && this.#take(']')) return { calls, end: this.#at }
      const { call, cut } = this.#call()
      calls.push(call)
      if (cut) return { calls, end: this.#text.length }
      this.#space()
    } while (list && this.#take(','))
    if (list && !this.#take(']') && this.#at < this.#text.length) throw new NotPythonic()
    return { calls, end: this.#at }
  }

  #call(): { call: FoundCall; cut: boolean } {
    // Llama 3.1 calls its own tools as `brave_search.call(…)`.
    const name = this.#match(/[A-Za-z_][\w.-]*/y)?.replace(/\.call$/, '')
    if (!name || !this.#take('(')) throw new NotPythonic()
    const values: Record<string, unknown> = {}
    try {
      for (;;) {
        this.#space()
        if (this.#take(')')) return { call: { name, arguments: JSON.stringify(values) }, cut: false }
        const key = this.#match(/[A-Za-z_]\w*/y)
        this.#space()
        if (!key || !this.#take('=')) throw this.#unexpected()
        values[key] = this.#value()
        this.#space()
        if (!this.#take(',') && this.#text[this.#at] !== ')') throw this.#unexpected()
      }
    } catch (error) {
      if (error instanceof CutOff) return { call: { name, arguments: cutArguments(values) }, cut: true }
      throw error
    }
  }

  #value(): unknown {
    this.#space()
    const character = this.#text[this.#at]
    if (character === '"' || character === "'") return this.#string()
    if (this.#take('[')) return this.#list()
    if (this.#take('{')) return this.#record()
    const number = this.#match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y)
    if (number !== undefined) return Number(number)
    const word = this.#match(/(?:True|False|None|true|false|null)\b/y)
    if (word === undefined) throw this.#unexpected()
    return word.toLowerCase() === 'true' ? true : word.toLowerCase() === 'false' ? false : null
  }

  #string(): string {
    const triple = /^("""|''')/.exec(this.#text.slice(this.#at, this.#at + 3))?.[0]
    const end = triple ? this.#text.indexOf(triple, this.#at + 3) + 3 : (stringEnd(this.#text, this.#at) ?? 0)
    if (end < this.#at + 2) throw new CutOff()
    const width = triple ? 3 : 1
    const inner = this.#text.slice(this.#at + width, end - width)
    this.#at = end
    return inner.replaceAll(/\\(u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|[\s\S])/g, unescaped)
  }

  #list(): unknown[] {
    const values: unknown[] = []
    for (;;) {
      this.#space()
      if (this.#take(']')) return values
      values.push(this.#value())
      this.#space()
      if (!this.#take(',') && this.#text[this.#at] !== ']') throw this.#unexpected()
    }
  }

  #record(): Record<string, unknown> {
    const values: Record<string, unknown> = {}
    for (;;) {
      this.#space()
      if (this.#take('}')) return values
      const key = this.#value()
      this.#space()
      if (typeof key !== 'string' || !this.#take(':')) throw this.#unexpected()
      values[key] = this.#value()
      this.#space()
      if (!this.#take(',') && this.#text[this.#at] !== '}') throw this.#unexpected()
    }
  }

  #unexpected(): Error {
    return this.#at >= this.#text.length ? new CutOff() : new NotPythonic()
  }

  #match(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at
    const found = sticky.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at += 1
    return true
  }

  #space(): void {
    this.#match(/\s+/y)
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0', '\n': '' }

function unescaped(whole: string, escape: string): string {
  if (escape.length > 1) return String.fromCharCode(Number.parseInt(escape.slice(1), 16))
  if (escape === '\\' || escape === '"' || escape === "'") return escape
  // Python keeps the backslash of an escape that it does not know.
  return escapes[escape] ?? whole
}

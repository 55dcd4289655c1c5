import {
  skipClosingTag,
  truncatedArguments,
  incomplete,
  noMatch,
  emptyArguments,
  skipSpace,
  incompleteUnlessFinal,
  type Dialect,
  type ArgumentValues,
} from './dialect.ts'
import { closingQuoteEnd } from './jsonScan.ts'

interface Form {
  open: string
  close: string
  /** Encloses each string. */
  quote: string
}

const variants: readonly Form[] = [
  { open: '<start_function_call>', close: '<end_function_call>', quote: '<escape>' },
  { open: '<|tool_call>', close: '<tool_call|>', quote: '<|"|>' },
]

const head = /\s*call:([\w.-]{1,128})\s*\{/y
const headBegun = /^\s*(?:c(?:a(?:l(?:l(?::[\w.-]{0,128}\s*)?)?)?)?)?$/

/**
 * `<start_function_call>call:NAME{key:<escape>text<escape>,n:1}<end_function_call>` of FunctionGemma, and
 * `<|tool_call>call:NAME{key:<|"|>text<|"|>,n:1}<tool_call|>` of Gemma 4: keys without quotes, lists and objects as in
 * JSON.
 * Sources: the model card of functiongemma-270m-it, Gemma 4's chat template (llama.cpp, models/templates), vLLM's
 * parsers `functiongemma` and `gemma4`.
 */
export const gemma: Dialect = {
  name: 'FunctionGemma, Gemma 4',
  openers: variants.map(({ open }) => open),
  closers: variants.map(({ close }) => close),
  parse(text, final) {
    const form = variants.find(({ open }) => text.startsWith(open))
    if (!form) return noMatch
    head.lastIndex = form.open.length
    const found = head.exec(text)
    if (!found?.[1])
      return headBegun.test(text.slice(form.open.length, form.open.length + 300))
        ? incompleteUnlessFinal(final)
        : noMatch
    const reader = new GemmaText(text, head.lastIndex, form.quote)
    const values = reader.call()
    if (values === 'broken') return noMatch
    if (values === 'truncated')
      return final
        ? {
            kind: 'envelope',
            end: text.length,
            calls: [{ name: found[1], arguments: truncatedArguments(reader.values) }],
          }
        : incomplete
    const end = skipClosingTag(text, reader.at, form.close, final)
    return end === undefined
      ? incomplete
      : { kind: 'envelope', end, calls: [{ name: found[1], arguments: JSON.stringify(values) }] }
  },
}

class Broken extends Error {}
class Truncated extends Error {}

/** Maximum length of a key, in characters. */
const maxKey = 200
/** Maximum nesting of values. More could overflow the stack. */
const maxDepth = 200

class GemmaText {
  readonly #text: string
  readonly #quote: string
  #depth = 0
  at: number
  /** The arguments read so far. */
  readonly values: ArgumentValues = emptyArguments()

  constructor(text: string, at: number, quote: string) {
    this.#text = text
    this.at = at
    this.#quote = quote
  }

  /** Reads the arguments after the call's brace; `truncated` if the text ends inside them. */
  call(): ArgumentValues | 'truncated' | 'broken' {
    try {
      return this.#record(this.values)
    } catch (error) {
      if (error instanceof Truncated) return 'truncated'
      if (error instanceof Broken) return 'broken'
      throw error
    }
  }

  #record(values: ArgumentValues): ArgumentValues {
    for (;;) {
      this.#space()
      if (this.#take('}')) return values
      const key = this.#key()
      values[key] = this.#value()
      this.#separator('}')
    }
  }

  #list(): unknown[] {
    const values: unknown[] = []
    for (;;) {
      this.#space()
      if (this.#take(']')) return values
      values.push(this.#value())
      this.#separator(']')
    }
  }

  #separator(end: string): void {
    this.#space()
    if (!this.#take(',') && this.#text[this.at] !== end) throw this.#unexpected()
  }

  #key(): string {
    const quoted = this.#quoted()
    const key = quoted ?? /^[^:{}[\],]+/.exec(this.#text.slice(this.at, this.at + maxKey))?.[0]
    if (key === undefined) throw this.#unexpected()
    if (quoted === undefined) this.at += key.length
    this.#space()
    if (!this.#take(':')) throw this.#unexpected()
    return key.trim()
  }

  #value(): unknown {
    this.#space()
    const text = this.#quoted()
    if (text !== undefined) return text
    if (this.#take('{')) return this.#nested(() => this.#record(emptyArguments()))
    if (this.#take('[')) return this.#nested(() => this.#list())
    const bare = /^[^,}\]]*/.exec(this.#text.slice(this.at))?.[0] ?? ''
    if (this.at + bare.length === this.#text.length) throw new Truncated()
    this.at += bare.length
    return plain(bare.trim())
  }

  /**
   * Reads a string in the format's own quotes or in JSON's. It ends at a quote that is followed by the format's syntax.
   */
  #quoted(): string | undefined {
    if (this.#text[this.at] === '"') {
      const end = closingQuoteEnd(this.#text, this.at)
      if (end === undefined) throw new Truncated()
      const json = this.#text.slice(this.at, end)
      this.at = end
      return fromJson(json)
    }
    if (!this.#text.startsWith(this.#quote, this.at)) {
      const rest = this.#text.slice(this.at, this.at + this.#quote.length)
      if (rest !== '' && this.#quote.startsWith(rest)) throw new Truncated()
      return undefined
    }
    const start = this.at + this.#quote.length
    for (let end = this.#text.indexOf(this.#quote, start); end !== -1; end = this.#text.indexOf(this.#quote, end + 1)) {
      const next = skipSpace(this.#text, end + this.#quote.length)
      if (next === this.#text.length) throw new Truncated()
      if (!',}]:'.includes(this.#text.charAt(next))) continue
      this.at = end + this.#quote.length
      return this.#text.slice(start, end)
    }
    throw new Truncated()
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1
    if (this.#depth > maxDepth) throw new Broken()
    const value = read()
    this.#depth -= 1
    return value
  }

  #unexpected(): Error {
    return this.at >= this.#text.length ? new Truncated() : new Broken()
  }

  #take(character: string): boolean {
    if (this.#text[this.at] !== character) return false
    this.at += 1
    return true
  }

  #space(): void {
    this.at = skipSpace(this.#text, this.at)
  }
}

function plain(bare: string): unknown {
  if (bare === 'true' || bare === 'false') return bare === 'true'
  if (/^(?:null|none)$/i.test(bare)) return null
  return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(bare) ? Number(bare) : bare
}

function fromJson(json: string): string {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'string') return value
  } catch {
    // Raw line breaks are invalid in JSON: use the text between the quotes.
  }
  return json.slice(1, -1)
}

/** A call as a model wrote it into its answer. */
export interface FoundCall {
  name: string
  /** JSON text; without its end where the answer was cut off inside the call, so that the executor refuses it as cut off. */
  arguments: string
}

/** What a text that begins with one of a dialect's openers begins with. */
export type ParseResult =
  /** Not known before more of the answer is there. */
  | { kind: 'incomplete' }
  /** No envelope of this dialect: the opener is text like any other. */
  | { kind: 'noMatch' }
  /** An envelope that ends before `end`: calls, or in harmony's channels a thought or text. */
  | { kind: 'envelope'; end: number; calls: FoundCall[]; reasoning?: string; text?: string }

/** One way in which models write calls. The finder knows where an opener counts; a dialect only reads what follows. */
export interface Dialect {
  /** As documents and tests call it. */
  name: string
  /** Texts that begin an envelope, each unmistakable. */
  openers: readonly string[]
  /** Texts one of which every complete envelope holds; without any it ends with the answer. Spares reading a long one at every token. */
  closers: readonly string[]
  /** @param final nothing more will come: `more` is no answer then */
  parse(text: string, final: boolean): ParseResult
}

export const incomplete: ParseResult = { kind: 'incomplete' }
export const noMatch: ParseResult = { kind: 'noMatch' }

/** `more` while something may still come. */
export function incompleteUnlessFinal(final: boolean): ParseResult {
  return final ? noMatch : incomplete
}

/** Openers that are tokens of their own in the models' vocabularies: prose has none of them, so they count anywhere on a line. */
const specialToken =
  /^(?:<[|｜]|\[TOOL_CALLS\]|<start_function_call>|<longcat_tool_call>|<\w+:tool_call>| ?to=functions\.)/

/** Whether a text begins with a token that only an envelope begins with. */
export function isSpecialToken(text: string): boolean {
  return specialToken.test(text.slice(0, 40))
}

/** The same, and `<tool_call>`: a token of its own in the vocabularies of Qwen, Hermes and GLM, although prose about them has it too. */
export function isTemplateToken(text: string): boolean {
  return text.startsWith('<tool_call>') || isSpecialToken(text)
}

/**
 * The place after `close`, where it follows `at` with nothing but white space (and brackets too many) between; `at` itself where
 * something else follows, for models forget it; undefined while that is not known.
 */
export function skipClosingTag(text: string, at: number, close: string, final: boolean): number | undefined {
  const rest = text.slice(at)
  const space = /^[\s}\]]*/.exec(rest)?.[0].length ?? 0
  const found = rest.slice(space, space + close.length)
  if (found.startsWith(close)) return at + space + close.length
  return !final && close.startsWith(found) ? undefined : at
}

export function skipSpace(text: string, at: number): number {
  const space = /\s*/y
  space.lastIndex = at
  space.exec(text)
  return space.lastIndex
}

/** Arguments by name as they are collected; a name such as `__proto__` is one like any other. */
export type ArgumentValues = Record<string, unknown>

export function emptyArguments(): ArgumentValues {
  // Object.create gives `any`; an object without a prototype is a record of what is put into it.
  return Object.create(null) as ArgumentValues
}

/** Arguments of which only the beginning came. */
export function truncatedArguments(values: ArgumentValues): string {
  return JSON.stringify(values).slice(0, -1)
}

/** Whether a call's arguments came to their end. */
export function hasCompleteArguments(call: FoundCall): boolean {
  return isJson(call.arguments)
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // That it is not JSON is the answer.
    return false
  }
}

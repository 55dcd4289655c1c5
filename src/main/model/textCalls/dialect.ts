/** A call that a model wrote as text. */
export interface FoundCall {
  name: string
  /**
   * JSON text. Lacks its end if the answer was truncated inside the call, so that the executor rejects it as
   * incomplete.
   */
  arguments: string
  /** Name of the dialect in which it was written. Absent for a call without an envelope. */
  dialect?: string
}

/** The result of parsing a text that starts with one of a dialect's openers. */
export type ParseResult =
  /** Needs more of the answer. */
  | { kind: 'incomplete' }
  /** Not an envelope of this dialect. The opener is plain text. */
  | { kind: 'noMatch' }
  /** The markup around calls, ending before `end`. In harmony's channels, it may contain reasoning or text instead. */
  | {
      kind: 'envelope'
      end: number
      calls: FoundCall[]
      reasoning?: string
      text?: string
      /** Models that write this dialect may continue with an invented `Observation:`. */
      inventsResults?: true
    }

/** The tools of a request. */
export interface OfferedTools {
  names: readonly string[]
  /** Returns the only required parameter of a tool; undefined if it has none or several. */
  soleParameterOf(this: void, tool: string): string | undefined
}

/**
 * A format in which models write calls as text. CallFinder decides where an opener counts; a dialect only parses what
 * follows.
 */
export interface Dialect {
  /** Used in documentation and tests. */
  name: string
  /** Strings that start an envelope. Each must be unambiguous. */
  openers: readonly string[]
  /**
   * Every complete envelope contains one of these strings. A long envelope is parsed again only after one of them.
   * Empty if only the end of the answer ends an envelope.
   */
  closers: readonly string[]
  /**
   * @param final no more text follows, so `incomplete` is not allowed
   * @param offered the tools, for dialects whose words also occur in prose. Without it, these match nothing
   */
  parse(text: string, final: boolean, offered?: OfferedTools): ParseResult
}

export const incomplete: ParseResult = { kind: 'incomplete' }
export const noMatch: ParseResult = { kind: 'noMatch' }

/** Returns `incomplete` while more text may follow, otherwise `noMatch`. */
export function incompleteUnlessFinal(final: boolean): ParseResult {
  return final ? noMatch : incomplete
}

/** Openers that are special tokens of the models. They never occur in prose, so they count anywhere on a line. */
const specialToken =
  /^(?:<[|｜]|\[TOOL_CALLS\]|<start_function_call>|<longcat_tool_call>|<\w+:tool_call>| ?to=functions\.)/

/** Whether a text starts with a special token that occurs only at the start of an envelope. */
export function isSpecialToken(text: string): boolean {
  return specialToken.test(text.slice(0, 40))
}

/** Includes `<tool_call>`, a special token of Qwen, Hermes and GLM that also occurs in prose about them. */
export function isTemplateToken(text: string): boolean {
  return text.startsWith('<tool_call>') || isSpecialToken(text)
}

/**
 * Returns the position after `close` if only whitespace and superfluous brackets precede it, `at` if something else
 * follows (models forget the tag), and undefined while unknown.
 */
export function skipClosingTag(text: string, at: number, close: string, final: boolean): number | undefined {
  const rest = text.slice(at)
  const space = /^[\s}\]]*/.exec(rest)?.[0].length ?? 0
  const found = rest.slice(space, space + close.length)
  if (found.startsWith(close)) return at + space + close.length
  return !final && close.startsWith(found) ? undefined : at
}

/** Returns the position after whitespace. */
export function skipSpace(text: string, at: number): number {
  const space = /\s*/y
  space.lastIndex = at
  space.exec(text)
  return space.lastIndex
}

/** Arguments by name. A name such as `__proto__` is treated like any other. */
export type ArgumentValues = Record<string, unknown>

/** Creates arguments without a prototype. */
export function emptyArguments(): ArgumentValues {
  // Object.create returns `any`.
  return Object.create(null) as ArgumentValues
}

/** Returns the JSON of an incomplete call's arguments, without its end. */
export function truncatedArguments(values: ArgumentValues): string {
  return JSON.stringify(values).slice(0, -1)
}

/** Whether a call's arguments are complete JSON. */
export function hasCompleteArguments(call: FoundCall): boolean {
  return isJson(call.arguments)
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // Invalid JSON is expected.
    return false
  }
}

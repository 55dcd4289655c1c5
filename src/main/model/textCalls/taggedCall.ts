import { closingBracketEnd } from './jsonScan.ts'
import { truncatedArguments, emptyArguments, skipSpace, type FoundCall } from './dialect.ts'

/** The tags of one call in a dialect. */
export interface TagGrammar {
  /** `<function=NAME>`, with the name as first group. */
  call: RegExp
  callClose: string
  /** `<parameter=KEY>`, with the key as first group. */
  parameter: RegExp
  parameterClose: string
  /**
   * Line breaks around a value that are not part of it: `each` removes either one, if the template always writes both;
   * `pair` removes both or none, if models write both around multi-line values; `none` removes none.
   */
  breaks: 'each' | 'pair' | 'none'
}

/** A call and the position after it. */
export interface TaggedCall {
  call: FoundCall
  end: number
}

/**
 * Reads one call at `from`. Values stay strings: only the tool's schema defines their types
 * (tools/arguments/coerceArguments.ts). A value ends at a closing tag that is followed by the grammar's syntax, since a
 * file's text may contain the tag.
 * @returns undefined while incomplete, `noMatch` if no such call starts here
 */
export function readTaggedCall(
  text: string,
  from: number,
  grammar: TagGrammar,
  final: boolean,
): TaggedCall | 'noMatch' | undefined {
  const head = matchAt(grammar.call, text, from)
  if (!head?.[1]) return final || text.length - from > 200 || text.slice(from).includes('\n\n') ? 'noMatch' : undefined
  const name = withoutQuotes(head[1])
  const values = emptyArguments()
  let at = skipSpace(text, from + head[0].length)
  if (text[at] === '{') return jsonBody(text, at, name, grammar, final)
  for (;;) {
    if (text.startsWith(grammar.callClose, at)) {
      return { call: { name, arguments: JSON.stringify(values) }, end: at + grammar.callClose.length }
    }
    const parameter = matchAt(grammar.parameter, text, at)
    if (!parameter?.[1]) {
      const isTag = isBeginning(text, at, grammar)
      if (!final && isTag) return undefined
      // Models omit the last closing tag, so other text ends the call. A partial tag means that the answer was
      // truncated in it.
      const ended = at < text.length && !isTag && Object.keys(values).length > 0
      return {
        call: { name, arguments: ended ? JSON.stringify(values) : truncatedArguments(values) },
        end: isTag ? text.length : at,
      }
    }
    const start = at + parameter[0].length
    const end = valueEnd(text, start, grammar, final)
    if (!end) return final ? { call: { name, arguments: truncatedArguments(values) }, end: text.length } : undefined
    values[withoutQuotes(parameter[1])] = withoutBreaks(text.slice(start, end.value), grammar.breaks)
    at = skipSpace(text, end.next)
  }
}

function withoutQuotes(name: string): string {
  return name.trim().replace(/^["']|["']$/g, '')
}

function withoutBreaks(value: string, breaks: TagGrammar['breaks']): string {
  if (breaks === 'each') return value.replace(/^\r?\n/, '').replace(/\r?\n$/, '')
  const inner = breaks === 'pair' ? /^\r?\n([\s\S]*?)\r?\n$/.exec(value)?.[1] : undefined
  return inner ?? value
}

/** Reads JSON between the tags, as in Llama 3.1's format. */
function jsonBody(
  text: string,
  at: number,
  name: string,
  { callClose }: TagGrammar,
  final: boolean,
): TaggedCall | undefined {
  const end = closingBracketEnd(text, at)
  if (end === undefined) return final ? { call: { name, arguments: text.slice(at) }, end: text.length } : undefined
  const next = skipSpace(text, end)
  const call = { name, arguments: text.slice(at, end) }
  if (text.startsWith(callClose, next)) return { call, end: next + callClose.length }
  return !final && callClose.startsWith(text.slice(next, next + callClose.length)) ? undefined : { call, end }
}

function valueEnd(
  text: string,
  start: number,
  grammar: TagGrammar,
  final: boolean,
): { value: number; next: number } | undefined {
  const { parameterClose, callClose } = grammar
  for (let at = text.indexOf(parameterClose, start); at !== -1; at = text.indexOf(parameterClose, at + 1)) {
    const next = skipSpace(text, at + parameterClose.length)
    const follows = text.startsWith(callClose, next) || matchAt(grammar.parameter, text, next) !== null
    if (follows || (final && next === text.length)) return { value: at, next }
  }
  // The closing tag of the value is missing.
  const last = final ? text.indexOf(callClose, start) : -1
  return last !== -1 && !text.slice(start, last).includes(parameterClose) ? { value: last, next: last } : undefined
}

/** Maximum length of an opening tag, in characters. */
const maxTagLength = 200

/** Whether the text ends in what may be the start of a tag. */
function isBeginning(text: string, at: number, { callClose }: TagGrammar): boolean {
  const rest = text.slice(at, at + maxTagLength)
  return callClose.startsWith(rest) || (rest.startsWith('<') && rest.length < maxTagLength && !rest.includes('>'))
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  const sticky = new RegExp(pattern.source, 'y')
  sticky.lastIndex = at
  return sticky.exec(text)
}

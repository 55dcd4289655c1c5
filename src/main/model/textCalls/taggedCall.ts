import { closingBracketEnd } from './jsonScan.ts'
import { truncatedArguments, emptyArguments, skipSpace, type FoundCall } from './dialect.ts'

/** How a dialect writes one call as tags. The patterns are sticky. */
export interface TagGrammar {
  /** `<function=NAME>`; its first group is the name. */
  call: RegExp
  callClose: string
  /** `<parameter=KEY>`; its first group is the key. */
  parameter: RegExp
  parameterClose: string
  /**
   * Line breaks around a value that are not part of it: `each` where the template always writes both, so that a lost one changes
   * nothing; `pair` where models write both around a value of several lines; `none` where the template writes none.
   */
  breaks: 'each' | 'pair' | 'none'
}

/** A call and the place after it. */
export interface TaggedCall {
  call: FoundCall
  end: number
}

/**
 * Reads one call from `from` on. Values stay texts: only the tool's schema knows better (tools/arguments/coerceArguments.ts). A value ends at the
 * closing tag that something of the grammar follows, for a file's text may hold the tag itself.
 * @returns undefined while its end is not there, `none` where no such call begins
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
      // Something else is where the call should end: models leave the last tag out. Half a tag means that the answer was cut off in it.
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

/** Llama 3.1's own form puts JSON between the tags. */
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
  // Its own closing tag was forgotten.
  const last = final ? text.indexOf(callClose, start) : -1
  return last !== -1 && !text.slice(start, last).includes(parameterClose) ? { value: last, next: last } : undefined
}

/** No opening tag is longer. Characters. */
const maxTagLength = 200

/** Whether a tag of the grammar may begin at the end of a text. */
function isBeginning(text: string, at: number, { callClose }: TagGrammar): boolean {
  const rest = text.slice(at, at + maxTagLength)
  return callClose.startsWith(rest) || (rest.startsWith('<') && rest.length < maxTagLength && !rest.includes('>'))
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  const sticky = new RegExp(pattern.source, 'y')
  sticky.lastIndex = at
  return sticky.exec(text)
}

import { balancedEnd } from '../jsonScan.ts'
import { cutArguments, type FoundCall } from './dialect.ts'

/** How a dialect writes one call as tags. The patterns are sticky. */
export interface TagGrammar {
  /** `<function=NAME>`; its first group is the name. */
  call: RegExp
  callClose: string
  /** `<parameter=KEY>`; its first group is the key. */
  parameter: RegExp
  parameterClose: string
}

/** A call and the place after it. */
export interface TaggedCall {
  call: FoundCall
  end: number
}

/**
 * Reads one call from `from` on. Values stay texts: only the tool's schema knows better (tools/coerce.ts). A value ends at the
 * closing tag that something of the grammar follows, for a file's text may hold the tag itself.
 * @returns undefined while its end is not there, `none` where no such call begins
 */
export function readTagged(text: string, from: number, grammar: TagGrammar, final: boolean): TaggedCall | 'none' | undefined {
  const head = matchAt(grammar.call, text, from)
  if (!head?.[1]) return final || text.length - from > 200 || text.slice(from).includes('\n\n') ? 'none' : undefined
  const name = head[1].trim().replace(/^["']|["']$/g, '')
  const values: Record<string, string> = {}
  let at = skipSpace(text, from + head[0].length)
  if (text[at] === '{') return jsonBody(text, at, name, grammar, final)
  for (;;) {
    if (text.startsWith(grammar.callClose, at)) {
      return { call: { name, arguments: JSON.stringify(values) }, end: at + grammar.callClose.length }
    }
    const parameter = matchAt(grammar.parameter, text, at)
    if (!parameter?.[1]) {
      if (!final && isBeginning(text.slice(at), grammar)) return undefined
      // Something else stands where the call should end: models leave the last tag out, or were cut off before it.
      const ended = at < text.length && Object.keys(values).length > 0
      return { call: { name, arguments: ended ? JSON.stringify(values) : cutArguments(values) }, end: at }
    }
    const start = at + parameter[0].length
    const end = valueEnd(text, start, grammar, final)
    if (!end) return final ? { call: { name, arguments: cutArguments(values) }, end: text.length } : undefined
    values[parameter[1].trim().replace(/^["']|["']$/g, '')] = text.slice(start, end.value).replace(/^\r?\n/, '').replace(/\r?\n$/, '')
    at = skipSpace(text, end.next)
  }
}

/** Llama 3.1's own form puts JSON between the tags. */
function jsonBody(text: string, at: number, name: string, { callClose }: TagGrammar, final: boolean): TaggedCall | undefined {
  const end = balancedEnd(text, at)
  if (end === undefined) return final ? { call: { name, arguments: text.slice(at) }, end: text.length } : undefined
  const next = skipSpace(text, end)
  const call = { name, arguments: text.slice(at, end) }
  if (text.startsWith(callClose, next)) return { call, end: next + callClose.length }
  return !final && callClose.startsWith(text.slice(next)) ? undefined : { call, end }
}

function valueEnd(text: string, start: number, grammar: TagGrammar, final: boolean): { value: number; next: number } | undefined {
  const { parameterClose, callClose } = grammar
  for (let at = text.indexOf(parameterClose, start); at !== -1; at = text.indexOf(parameterClose, at + 1)) {
    const next = skipSpace(text, at + parameterClose.length)
    const follows = text.startsWith(callClose, next) || matchAt(grammar.parameter, text, next) !== null
    if (follows || (final && next === text.length)) return { value: at, next }
  }
  // Its own closing tag was forgotten.
  const last = text.indexOf(callClose, start)
  return last !== -1 && final && !text.slice(start, last).includes(parameterClose) ? { value: last, next: last } : undefined
}

/** Whether a text may still become a tag of the grammar. */
function isBeginning(text: string, { callClose }: TagGrammar): boolean {
  return callClose.startsWith(text) || (text.startsWith('<') && text.length < 120 && !text.includes('>'))
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  const sticky = new RegExp(pattern.source, 'y')
  sticky.lastIndex = at
  return sticky.exec(text)
}

function skipSpace(text: string, at: number): number {
  return at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0)
}

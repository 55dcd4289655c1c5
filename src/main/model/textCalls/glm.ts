import {
  skipClosingTag,
  truncatedArguments,
  incomplete,
  noMatch,
  emptyArguments,
  skipSpace,
  type ParseResult,
} from './dialect.ts'

const head = /\s*([\w.:/-]{1,128})[ \t]*(?:\r?\n\s*|(?=<))/y
/** Maximum length of a key with its tags, in characters. */
const maxKeyLength = 400

/**
 * Reads the content of `<tool_call>` of GLM 4.5 to 4.7: the name, then `<arg_key>k</arg_key><arg_value>v</arg_value>`
 * for each argument. LongCat writes the same with a prefix. Sources: the chat templates on the model cards of GLM-4.5
 * and LongCat-Flash-Chat. As in taggedCall.ts, values stay strings, and end at a closing tag that is followed by the
 * format's syntax.
 * @param from the position after the opening tag
 * @param prefix before the name of each tag
 */
export function readArgumentPairs(text: string, from: number, prefix: string, final: boolean): ParseResult {
  const pair = new RegExp(`\\s*<${prefix}arg_key>([^<]{1,128})</${prefix}arg_key>\\s*<${prefix}arg_value>`, 'y')
  const keyOpen = `<${prefix}arg_key>`
  const valueClose = `</${prefix}arg_value>`
  const close = `</${prefix}tool_call>`
  head.lastIndex = from
  const name = head.exec(text)
  if (!name?.[1])
    return !final && /^\s*(?:[\w.:/-]{1,128}[ \t]*)?$/.test(text.slice(from, from + maxKeyLength))
      ? incomplete
      : noMatch
  const called = name[1]
  const envelope = (end: number, json: string): ParseResult => ({
    kind: 'envelope',
    end,
    calls: [{ name: called, arguments: json }],
  })
  const values = emptyArguments()
  let at = from + name[0].length
  for (;;) {
    pair.lastIndex = at
    const key = pair.exec(text)
    if (!key?.[1]) break
    const start = at + key[0].length
    const end = valueEnd(text, start, [keyOpen, close], valueClose, final)
    if (end === undefined) return final ? envelope(text.length, truncatedArguments(values)) : incomplete
    values[key[1].trim()] = text.slice(start, end)
    at = end + valueClose.length
  }
  const end = skipClosingTag(text, at, close, final)
  if (end === undefined) return incomplete
  if (end > at) return envelope(end, JSON.stringify(values))
  const rest = text.slice(skipSpace(text, at))
  const isBegun =
    rest.length < maxKeyLength && (rest.startsWith(keyOpen) || keyOpen.startsWith(rest) || close.startsWith(rest))
  if (!final && isBegun) return incomplete
  if (final && rest !== '' && isBegun) return envelope(text.length, truncatedArguments(values))
  // A word after the tag, without a closing tag or any of the format's syntax, is prose.
  if (Object.keys(values).length === 0) return noMatch
  return envelope(at, rest === '' ? truncatedArguments(values) : JSON.stringify(values))
}

function valueEnd(
  text: string,
  start: number,
  follows: readonly string[],
  close: string,
  final: boolean,
): number | undefined {
  for (let at = text.indexOf(close, start); at !== -1; at = text.indexOf(close, at + 1)) {
    const next = skipSpace(text, at + close.length)
    if (follows.some((tag) => text.startsWith(tag, next))) return at
    if (final && next === text.length) return at
  }
  return undefined
}

import { afterClose, cutArguments, more, none, type Reading } from './dialect.ts'

const head = /^\s*([\w.:/-]{1,128})[ \t]*(?:\r?\n\s*|(?=<))/
const pair = /\s*<arg_key>([^<]{1,128})<\/arg_key>\s*<arg_value>/y
const pairClose = '</arg_value>'
const close = '</tool_call>'
/** A key with its tags. Characters. */
const longestKey = 400

/**
 * What GLM 4.5 to 4.7 write into `<tool_call>`: the name, then `<arg_key>k</arg_key><arg_value>v</arg_value>` for each argument.
 * Source: the chat template on the model card of GLM-4.5. Values stay texts, as in taggedCall.ts.
 * @param from after `<tool_call>`
 */
export function readGlm(text: string, from: number, final: boolean): Reading {
  const body = text.slice(from)
  const name = head.exec(body)
  if (!name?.[1]) return !final && /^\s*[\w.:/-]{0,128}[ \t]*$/.test(body) ? more : none
  const called = name[1]
  const envelope = (end: number, json: string): Reading => ({ kind: 'envelope', end, calls: [{ name: called, arguments: json }] })
  const values: Record<string, string> = {}
  let at = from + name[0].length
  for (;;) {
    pair.lastIndex = at
    const key = pair.exec(text)
    if (!key?.[1]) break
    const start = at + key[0].length
    const end = text.indexOf(pairClose, start)
    if (end === -1) return final ? envelope(text.length, cutArguments(values)) : more
    values[key[1].trim()] = text.slice(start, end)
    at = end + pairClose.length
  }
  const end = afterClose(text, at, close, final)
  if (end === undefined) return more
  if (end > at) return envelope(end, JSON.stringify(values))
  const rest = text.slice(at).trimStart()
  const key = '<arg_key>'
  if (!final && (key.startsWith(rest) || (rest.startsWith(key) && rest.length < longestKey))) return more
  if (final && rest.startsWith(key)) return envelope(text.length, cutArguments(values))
  // Without the tag's end, and with nothing of this dialect in it, a word after the tag is just a word.
  if (Object.keys(values).length === 0) return none
  return envelope(at, at === text.length ? cutArguments(values) : JSON.stringify(values))
}

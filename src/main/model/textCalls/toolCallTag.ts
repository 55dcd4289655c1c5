import { afterClose, more, none, type Dialect, type Reading } from './dialect.ts'
import { readFunctions } from './functionTag.ts'
import { readGlm } from './glm.ts'
import { callFrom, readJson } from './jsonCalls.ts'

const open = '<tool_call>'
const close = '</tool_call>'

/**
 * `<tool_call>{"name": …, "arguments": …}</tool_call>`: Hermes 2 and 3, Qwen 2.5 and 3, Granite 4, Tizona's own text prompt and
 * many a fine-tune; the same tag around Qwen3-Coder's `<function=…>` and around GLM's `<arg_key>` pairs. Sources: the chat templates
 * on their model cards, vLLM's parsers `hermes`, `qwen3_xml` and `glm45`. The closing tag is often missing, the JSON often not quite.
 */
export const toolCallTag: Dialect = {
  name: 'Hermes, Qwen, GLM, Granite 4',
  openers: [open],
  closers: [close],
  read(text, final) {
    const from = open.length
    const body = text.slice(from).trimStart()
    if (body === '') return final ? none : more
    const isFunction = body.startsWith('<function=') || (!final && '<function='.startsWith(body))
    if (isFunction) return closed(text, readFunctions(text, from, final), final)
    if (body.startsWith('{') || body.startsWith('[')) return readObject(text, from, final)
    return readGlm(text, from, final)
  },
}

/** JSON up to where it ends; where it is broken, only the closing tag or the answer's end tells how far it goes. */
function readObject(text: string, from: number, final: boolean): Reading {
  const reading = readJson(text, from, final)
  // A string or bracket is open: a closing tag in it may be part of a file's text.
  if (reading.kind === 'more') return more
  if (reading.kind === 'envelope' && isJson(text.slice(from, reading.end))) return closed(text, reading, final)
  const tag = text.indexOf(close, from)
  if (tag === -1) return final ? reading : more
  const broken = callFrom(text.slice(from, tag).trim())
  return broken ? { kind: 'envelope', end: tag + close.length, calls: [broken] } : none
}

function closed(text: string, reading: Reading, final: boolean): Reading {
  if (reading.kind !== 'envelope') return reading
  const end = afterClose(text, reading.end, close, final)
  return end === undefined ? more : { ...reading, end }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // That it is not JSON is the answer.
    return false
  }
}

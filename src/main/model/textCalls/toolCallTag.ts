import { skipClosingTag, incomplete, noMatch, skipSpace, type Dialect, type ParseResult } from './dialect.ts'
import { readFunctionCalls } from './functionTag.ts'
import { readArgumentPairs } from './glm.ts'
import { readJsonCalls } from './jsonCalls.ts'

const tags = ['', 'longcat_'].map((prefix) => ({
  prefix,
  open: `<${prefix}tool_call>`,
  close: `</${prefix}tool_call>`,
}))

/**
 * `<tool_call>{"name": …, "arguments": …}</tool_call>`: Hermes 2 and 3, Qwen 2.5 and 3, Granite 4, Tizona's own text
 * prompt and many fine-tunes. The same tag encloses Qwen3-Coder's `<function=…>` and GLM's `<arg_key>` pairs, and with
 * `longcat_` before each name LongCat's. The closing tag is often missing, and the JSON often malformed.
 * Sources: the chat templates on their model cards, vLLM's parsers `hermes`, `qwen3_xml`, `glm45` and `longcat`.
 */
export const toolCallTag: Dialect = {
  name: 'Hermes, Qwen, GLM, Granite 4, LongCat',
  openers: tags.map(({ open }) => open),
  closers: tags.map(({ close }) => close),
  parse(text, final) {
    const tag = tags.find(({ open }) => text.startsWith(open))
    if (!tag) return noMatch
    const from = tag.open.length
    const at = skipSpace(text, from)
    if (at === text.length) return final ? noMatch : incomplete
    const head = text.slice(at, at + '<function='.length)
    const isFunction = head === '<function=' || (!final && '<function='.startsWith(head))
    if (isFunction) return closed(text, readFunctionCalls(text, from, final), tag.close, final)
    if (head.startsWith('{') || head.startsWith('['))
      return closed(text, readJsonCalls(text, from, final, [tag.close]), tag.close, final)
    return readArgumentPairs(text, from, tag.prefix, final)
  },
}

function closed(text: string, reading: ParseResult, close: string, final: boolean): ParseResult {
  if (reading.kind !== 'envelope') return reading
  const end = skipClosingTag(text, reading.end, close, final)
  return end === undefined ? incomplete : { ...reading, end }
}

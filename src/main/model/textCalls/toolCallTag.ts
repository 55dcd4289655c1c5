import { afterClose, more, none, skipSpace, type Dialect, type Reading } from './dialect.ts'
import { readFunctions } from './functionTag.ts'
import { readPairs } from './glm.ts'
import { readJson } from './jsonCalls.ts'

const tags = ['', 'longcat_'].map((prefix) => ({
  prefix,
  open: `<${prefix}tool_call>`,
  close: `</${prefix}tool_call>`,
}))

/**
 * `<tool_call>{"name": …, "arguments": …}</tool_call>`: Hermes 2 and 3, Qwen 2.5 and 3, Granite 4, Tizona's own text prompt and
 * many a fine-tune; the same tag around Qwen3-Coder's `<function=…>` and around GLM's `<arg_key>` pairs; and with `longcat_` before each
 * name LongCat. Sources: the chat templates on their model cards, vLLM's parsers `hermes`, `qwen3_xml`, `glm45` and `longcat`. The closing
 * tag is often missing, the JSON often not quite.
 */
export const toolCallTag: Dialect = {
  name: 'Hermes, Qwen, GLM, Granite 4, LongCat',
  openers: tags.map(({ open }) => open),
  closers: tags.map(({ close }) => close),
  read(text, final) {
    const tag = tags.find(({ open }) => text.startsWith(open))
    if (!tag) return none
    const from = tag.open.length
    const at = skipSpace(text, from)
    if (at === text.length) return final ? none : more
    const head = text.slice(at, at + '<function='.length)
    const isFunction = head === '<function=' || (!final && '<function='.startsWith(head))
    if (isFunction) return closed(text, readFunctions(text, from, final), tag.close, final)
    if (head.startsWith('{') || head.startsWith('['))
      return closed(text, readJson(text, from, final, [tag.close]), tag.close, final)
    return readPairs(text, from, tag.prefix, final)
  },
}

function closed(text: string, reading: Reading, close: string, final: boolean): Reading {
  if (reading.kind !== 'envelope') return reading
  const end = afterClose(text, reading.end, close, final)
  return end === undefined ? more : { ...reading, end }
}

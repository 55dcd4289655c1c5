import { skipClosingTag, incomplete, noMatch, type Dialect } from './dialect.ts'
import { readJsonCalls } from './jsonCalls.ts'

interface Section {
  open: string
  /** Empty if the section ends where its JSON ends. */
  close: string
  /** The part of `open` that belongs to the JSON. */
  shared?: string
}

const sections: readonly Section[] = [
  { open: '<|tool_call|>', close: '<|/tool_call|>' },
  { open: '<|tool_calls|>', close: '<|/tool_calls|>' },
  { open: '<tool_calls>', close: '</tool_calls>' },
  { open: '<TOOLCALL>', close: '</TOOLCALL>' },
  { open: '<|START_ACTION|>', close: '<|END_ACTION|>' },
  { open: '[TOOL_REQUEST]', close: '[END_TOOL_REQUEST]' },
  { open: '<function_call>', close: '</function_call>' },
  { open: '<|action_start|><|plugin|>', close: '<|action_end|>' },
  { open: 'functools[', close: '', shared: '[' },
  { open: '<|function_call|>', close: '<|message_sep|>' },
  { open: '<|message_sep|>\n\nfunction call<|role_sep|>', close: '<|message_sep|>' },
  { open: 'function call<|role_sep|>', close: '<|message_sep|>' },
]

/**
 * Calls as JSON after a token: Granite 3 (`<|tool_call|>`), Phi-4 mini (`<|tool_calls|>`, and `functools[…]` as its
 * model card specifies), Hunyuan (`<tool_calls>`), Nemotron Nano (`<TOOLCALL>`), Command R7B (`<|START_ACTION|>`),
 * Granite 20B (`<function_call>`), InternLM 2 (`<|action_start|><|plugin|>`), GigaChat 3 (a turn of the role `function
 * call`, or `<|function_call|>`), and LM Studio's format for models without native tool calls (`[TOOL_REQUEST]`).
 * Sources: their chat templates and model cards, vLLM's parsers `granite`, `granite-20b-fc`, `phi4_mini_json`,
 * `hunyuan_a13b`, `internlm`, `gigachat3`, llama.cpp's `gigachat-v3.cpp`, LM Studio's documentation of tool use.
 */
export const jsonSection: Dialect = {
  name: 'Granite, Phi-4, Hunyuan, Nemotron, Command R, InternLM 2, GigaChat 3',
  openers: sections.map(({ open }) => open),
  closers: [...sections.flatMap(({ close }) => close || []), ']'],
  parse(text, final) {
    const section = sections.find(({ open }) => text.startsWith(open))
    if (!section) return noMatch
    const from = section.open.length - (section.shared?.length ?? 0)
    const reading = readJsonCalls(text, from, final, section.close ? [section.close] : [])
    if (reading.kind !== 'envelope') return reading
    const end = skipClosingTag(text, reading.end, section.close, final)
    return end === undefined ? incomplete : { ...reading, end }
  },
}

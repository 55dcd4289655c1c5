import { afterClose, more, none, type Dialect } from './dialect.ts'
import { readJson } from './jsonCalls.ts'

const sections = [
  { open: '<|tool_call|>', close: '<|/tool_call|>' },
  { open: '<|tool_calls|>', close: '<|/tool_calls|>' },
  { open: '<tool_calls>', close: '</tool_calls>' },
  { open: '<TOOLCALL>', close: '</TOOLCALL>' },
  { open: '<|START_ACTION|>', close: '<|END_ACTION|>' },
  { open: '[TOOL_REQUEST]', close: '[END_TOOL_REQUEST]' },
]

/**
 * A list of calls in JSON after a mark: Granite 3 (`<|tool_call|>`), Phi-4 mini (`<|tool_calls|>`), Hunyuan (`<tool_calls>`), Nemotron
 * Nano (`<TOOLCALL>`), Command R7B (`<|START_ACTION|>`), and what LM Studio asks of models without tools of their own (`[TOOL_REQUEST]`).
 * Sources: their model cards' chat templates, vLLM's parsers `granite`, `phi4_mini_json`, `hunyuan_a13b`, LM Studio's documents on tool use.
 */
export const jsonSection: Dialect = {
  name: 'Granite 3, Phi-4, Hunyuan, Nemotron, Command R',
  openers: sections.map(({ open }) => open),
  closers: sections.map(({ close }) => close),
  read(text, final) {
    const section = sections.find(({ open }) => text.startsWith(open))
    if (!section) return none
    const reading = readJson(text, section.open.length, final)
    if (reading.kind !== 'envelope') return reading
    const end = afterClose(text, reading.end, section.close, final)
    return end === undefined ? more : { ...reading, end }
  },
}

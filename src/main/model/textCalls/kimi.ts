import type { Dialect } from './dialect.ts'
import { readMarked, type Marks } from './marked.ts'

const marks: Marks = {
  begin: '<|tool_calls_section_begin|>',
  end: '<|tool_calls_section_end|>',
  callBegin: '<|tool_call_begin|>',
  callEnd: '<|tool_call_end|>',
  separator: '<|tool_call_argument_begin|>',
}

/**
 * `<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>…`: Kimi K2.
 * Sources: the tool calling guide beside its model card, vLLM's parser `kimi_k2`.
 */
export const kimi: Dialect = {
  name: 'Kimi K2',
  openers: [marks.begin, marks.callBegin],
  closers: [marks.end],
  read: (text, final) =>
    readMarked(text, marks, (id, after) => ({ name: id.replace(/^functions\./, '').replace(/:\d+$/, ''), arguments: after || '{' }), final),
}

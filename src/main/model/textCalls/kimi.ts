import { readAsciiCall } from './deepseek.ts'
import type { Dialect } from './dialect.ts'
import { readDelimitedCall, type CallDelimiters } from './delimitedCall.ts'

const marks: CallDelimiters = {
  callBegin: '<|tool_call_begin|>',
  callEnd: '<|tool_call_end|>',
  separator: '<|tool_call_argument_begin|>',
}

/**
 * `<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>…`:
 * Kimi K2. Sources: the tool calling guide beside its model card, vLLM's parser `kimi_k2`.
 */
export const kimi: Dialect = {
  name: 'Kimi K2',
  openers: [marks.callBegin],
  closers: [marks.callEnd],
  parse: (text, final) =>
    readAsciiCall(text, final) ??
    readDelimitedCall(
      text,
      marks,
      (id, at) => ({ name: id.replace(/^functions\./, '').replace(/:\d+$/, ''), at }),
      final,
    ),
}

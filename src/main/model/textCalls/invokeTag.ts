import {
  skipClosingTag,
  incomplete,
  noMatch,
  skipSpace,
  incompleteUnlessFinal,
  type Dialect,
  type FoundCall,
  type ParseResult,
} from './dialect.ts'
import { readPythonLines } from './pythonic.ts'
import { readTaggedCall, type TagGrammar } from './taggedCall.ts'

const minimax: TagGrammar = {
  call: /<invoke name=("[^"\n]{1,128}"|'[^'\n]{1,128}')\s*>/,
  callClose: '</invoke>',
  parameter: /<parameter name=("[^"\n]{1,128}"|'[^'\n]{1,128}')[^>\n]{0,40}>/,
  parameterClose: '</parameter>',
  breaks: 'pair',
}

function marked(mark: string): TagGrammar {
  return {
    call: new RegExp(`<${mark}invoke name=("[^"\\n]{1,128}")\\s*>`),
    callClose: `</${mark}invoke>`,
    parameter: new RegExp(`<${mark}parameter name=("[^"\\n]{1,128}")[^>\\n]{0,40}>`),
    parameterClose: `</${mark}parameter>`,
    breaks: 'none',
  }
}

/** Tags of Step 3's tool calls, which deepseek.ts finds between DeepSeek's tokens. */
export const stepTag: TagGrammar = marked('steptml:')

const plainOpen = '<function_calls>'
const plainClose = '</function_calls>'
const envelopes = [
  { open: '<minimax:tool_call>', close: '</minimax:tool_call>', grammar: minimax },
  { open: plainOpen, close: plainClose, grammar: minimax },
  { open: '<｜DSML｜function_calls>', close: '</｜DSML｜function_calls>', grammar: marked('｜DSML｜') },
  { open: '<｜DSML｜tool_calls>', close: '</｜DSML｜tool_calls>', grammar: marked('｜DSML｜') },
  { open: '<｜GCML｜tool_calls>', close: '</｜GCML｜tool_calls>', grammar: marked('｜GCML｜') },
]

/**
 * `<invoke name="…"><parameter name="…">value</parameter></invoke>` inside an outer tag: MiniMax M2, and DeepSeek V3.2
 * and V4 (with `｜DSML｜` before each name), and GigaChat 3.5 (with `｜GCML｜`). Inside `<function_calls>`, OLMo 3 writes
 * one Python call per line. Sources: MiniMax' tool calling guide, DeepSeek's encoding notes beside the model cards,
 * llama.cpp's copy of GigaChat 3.5's template, vLLM's parsers `gigachat35` and `olmo3`.
 */
export const invokeTag: Dialect = {
  name: 'MiniMax M2, DeepSeek V3.2, GigaChat 3.5, OLMo 3',
  openers: envelopes.map(({ open }) => open),
  closers: envelopes.map(({ close }) => close),
  parse(text, final) {
    const envelope = envelopes.find(({ open }) => text.startsWith(open))
    if (!envelope) return noMatch
    const at = skipSpace(text, envelope.open.length)
    if (envelope.open === plainOpen && /[A-Za-z_]/.test(text.charAt(at))) return readLines(text, at, final)
    const calls: FoundCall[] = []
    for (let from = envelope.open.length; ;) {
      const end = calls.length > 0 ? skipClosingTag(text, from, envelope.close, final) : from
      if (end === undefined) return incomplete
      const next = skipSpace(text, from)
      if (calls.length > 0 && (end > from || next === text.length)) return { kind: 'envelope', end, calls }
      const found = readTaggedCall(text, next, envelope.grammar, final)
      if (found === undefined) return incomplete
      if (found === 'noMatch')
        return calls.length > 0 ? { kind: 'envelope', end: from, calls } : incompleteUnlessFinal(final)
      calls.push(found.call)
      from = found.end
    }
  },
}

/** OLMo 3: one call per line, even if strings contain line breaks. */
function readLines(text: string, at: number, final: boolean): ParseResult {
  const found = readPythonLines(text, at)
  if (!found) return noMatch
  if (found.truncated)
    return final && found.calls.length > 0
      ? { kind: 'envelope', end: text.length, calls: found.calls }
      : incompleteUnlessFinal(final)
  const end = skipClosingTag(text, found.end, plainClose, final)
  return end === undefined ? incomplete : { kind: 'envelope', end, calls: found.calls }
}

import { afterClose, more, none, unfinished, type Dialect, type FoundCall } from './dialect.ts'
import { readTagged, type TagGrammar } from './taggedCall.ts'

const minimax: TagGrammar = {
  call: /<invoke name=("[^"\n]{1,128}"|'[^'\n]{1,128}')\s*>/,
  callClose: '</invoke>',
  parameter: /<parameter name=("[^"\n]{1,128}"|'[^'\n]{1,128}')[^>\n]{0,40}>/,
  parameterClose: '</parameter>',
}

const dsml: TagGrammar = {
  call: /<｜DSML｜invoke name=("[^"\n]{1,128}")\s*>/,
  callClose: '</｜DSML｜invoke>',
  parameter: /<｜DSML｜parameter name=("[^"\n]{1,128}")[^>\n]{0,40}>/,
  parameterClose: '</｜DSML｜parameter>',
}

const envelopes = [
  { open: '<minimax:tool_call>', close: '</minimax:tool_call>', grammar: minimax },
  { open: '<function_calls>', close: '</function_calls>', grammar: minimax },
  { open: '<｜DSML｜function_calls>', close: '</｜DSML｜function_calls>', grammar: dsml },
]

/**
 * `<invoke name="…"><parameter name="…">value</parameter></invoke>` inside an outer tag: MiniMax M2 and, with `｜DSML｜` before each
 * name, DeepSeek V3.2. Sources: MiniMax' tool calling guide, DeepSeek's encoding notes beside the V3.2 model card.
 */
export const invokeTag: Dialect = {
  name: 'MiniMax M2, DeepSeek V3.2',
  openers: envelopes.map(({ open }) => open),
  closers: envelopes.map(({ close }) => close),
  read(text, final) {
    const envelope = envelopes.find(({ open }) => text.startsWith(open))
    if (!envelope) return none
    const calls: FoundCall[] = []
    for (let at = envelope.open.length; ; ) {
      const end = calls.length > 0 ? afterClose(text, at, envelope.close, final) : at
      if (end === undefined) return more
      const next = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0)
      if (calls.length > 0 && (end > at || next === text.length)) return { kind: 'envelope', end, calls }
      const found = readTagged(text, next, envelope.grammar, final)
      if (found === undefined) return more
      if (found === 'none') return calls.length > 0 ? { kind: 'envelope', end: at, calls } : unfinished(final)
      calls.push(found.call)
      at = found.end
    }
  },
}

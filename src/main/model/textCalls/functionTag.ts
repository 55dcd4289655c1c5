import { afterClose, more, none, unfinished, type Dialect, type FoundCall, type Reading } from './dialect.ts'
import { readTagged, type TagGrammar } from './taggedCall.ts'

const grammar: TagGrammar = {
  call: /<function=([^>\n]{1,128})>/,
  callClose: '</function>',
  parameter: /<parameter=([^>\n]{1,128})>/,
  parameterClose: '</parameter>',
}

/** `<function=…>` calls one after another from `from` on. */
export function readFunctions(text: string, from: number, final: boolean): Reading {
  const calls: FoundCall[] = []
  for (let at = from; ; ) {
    const next = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0)
    const isCall = text.startsWith('<function=', next)
    if (calls.length > 0 && !isCall) return { kind: 'envelope', end: at, calls }
    const found = readTagged(text, next, grammar, final)
    if (found === undefined) return more
    if (found === 'none') return none
    calls.push(found.call)
    at = found.end
  }
}

/**
 * `<function=NAME><parameter=KEY>value</parameter></function>`: Qwen3-Coder, Seed-OSS, Nemotron 3, and with JSON between the tags
 * Llama 3.1. Sources: the chat templates on those model cards, vLLM's parsers `qwen3_xml` and `seed_oss`. Often the `<tool_call>`
 * before it is lost (QwenLM/Qwen3-Coder issue 475), while the one after it is not.
 */
export const functionTag: Dialect = {
  name: 'Qwen3-Coder, Seed-OSS',
  openers: ['<function=', '<seed:tool_call>'],
  closers: ['</function>', '</tool_call>', '</seed:tool_call>'],
  read(text, final) {
    const wrapped = text.startsWith('<seed:tool_call>')
    const reading = readFunctions(text, wrapped ? '<seed:tool_call>'.length : 0, final)
    if (reading.kind !== 'envelope') return reading.kind === 'more' ? unfinished(final) : reading
    const end = afterClose(text, reading.end, wrapped ? '</seed:tool_call>' : '</tool_call>', final)
    return end === undefined ? more : { ...reading, end }
  },
}

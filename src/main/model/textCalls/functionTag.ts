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
import { readTaggedCall, type TagGrammar } from './taggedCall.ts'

const grammar: TagGrammar = {
  call: /<function=([^>\n]{1,128})>/,
  callClose: '</function>',
  parameter: /<parameter=([^>\n]{1,128})>/,
  parameterClose: '</parameter>',
  breaks: 'each',
}

const seed: TagGrammar = { ...grammar, breaks: 'pair' }
const seedOpen = '<seed:tool_call>'
const seedClose = '</seed:tool_call>'

/** Reads consecutive `<function=…>` calls at `from`. */
export function readFunctionCalls(text: string, from: number, final: boolean, own: TagGrammar = grammar): ParseResult {
  const calls: FoundCall[] = []
  for (let at = from; ;) {
    const next = skipSpace(text, at)
    if (calls.length > 0 && !text.startsWith('<function=', next)) return { kind: 'envelope', end: at, calls }
    const found = readTaggedCall(text, next, own, final)
    if (found === undefined) return incomplete
    if (found === 'noMatch') return noMatch
    calls.push(found.call)
    at = found.end
  }
}

/**
 * `<function=NAME><parameter=KEY>value</parameter></function>`: Qwen3-Coder, Seed-OSS, Nemotron 3, Step 3.5; with JSON
 * between the tags, Llama 3.1 and Functionary 3.1. The `<tool_call>` before it is often lost (QwenLM/Qwen3-Coder issue
 * 475), unlike the closing one.
 * Sources: the chat templates on those model cards, vLLM's parsers `qwen3_xml` and `seed_oss`.
 */
export const functionTag: Dialect = {
  name: 'Qwen3-Coder, Seed-OSS',
  openers: ['<function=', seedOpen],
  closers: ['</function>', '</tool_call>', seedClose],
  parse(text, final) {
    const wrapped = text.startsWith(seedOpen)
    const reading = wrapped ? readFunctionCalls(text, seedOpen.length, final, seed) : readFunctionCalls(text, 0, final)
    if (reading.kind !== 'envelope') return reading.kind === 'incomplete' ? incompleteUnlessFinal(final) : reading
    const end = skipClosingTag(text, reading.end, wrapped ? seedClose : '</tool_call>', final)
    return end === undefined ? incomplete : { ...reading, end }
  },
}

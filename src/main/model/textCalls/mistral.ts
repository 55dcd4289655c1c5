import { incomplete, noMatch, skipSpace, type Dialect } from './dialect.ts'
import { readJsonCalls, readValue } from './jsonCalls.ts'

const open = '[TOOL_CALLS]'
const head = /\s*([\w.-]{1,128})\s*(?:\[CALL_ID\][\w-]*\s*)?(?:\[ARGS\]\s*)?(?=\{)/y
/** Matches an incomplete head. */
const headBegun = /^\s*(?:[\w.-]{1,128}\s*)?(?:\[[A-Z_]*(?:\][\w-]*)?\s*){0,2}$/
const ends = [open, '[/TOOL_CALLS]', '</s>']

/**
 * `[TOOL_CALLS][{"name": …, "arguments": …}]` (tokenizers up to v7) and `[TOOL_CALLS]name[ARGS]{…}`, sometimes with
 * `[CALL_ID]` before `[ARGS]` (v11 and later: Mistral Small 3.2, Devstral, Magistral). Some servers drop special
 * tokens, so `[ARGS]` may be missing.
 * Sources: mistral-common's tokenizers, vLLM's parser `mistral`, llama.cpp's format for Mistral Small 3.2.
 */
export const mistral: Dialect = {
  name: 'Mistral, Devstral, Magistral',
  openers: [open],
  closers: ['}', ']'],
  parse(text, final) {
    const at = skipSpace(text, open.length)
    if (at === text.length) return final ? noMatch : incomplete
    if (text[at] === '[' || text[at] === '{') return withEnd(text, readJsonCalls(text, at, final, ends))
    head.lastIndex = at
    const found = head.exec(text)
    if (!found?.[1]) return !final && headBegun.test(text.slice(at, at + 300)) ? incomplete : noMatch
    const value = readValue(text, at + found[0].length, ends, final)
    if (!value) return incomplete
    return withEnd(text, { kind: 'envelope', end: value.end, calls: [{ name: found[1], arguments: value.json }] })
  },
}

function withEnd(text: string, reading: ReturnType<Dialect['parse']>): ReturnType<Dialect['parse']> {
  if (reading.kind !== 'envelope') return reading
  return { ...reading, end: reading.end + (/^\s*<\/s>/.exec(text.slice(reading.end))?.[0].length ?? 0) }
}

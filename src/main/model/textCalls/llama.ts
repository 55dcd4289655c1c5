import { incomplete, noMatch, type Dialect, type FoundCall, type ParseResult } from './dialect.ts'
import { readJsonCalls } from './jsonCalls.ts'
import { readPythonCalls } from './pythonic.ts'

const marks = [
  { open: '<|python_tag|>', ends: ['<|eom_id|>', '<|eot_id|>'] },
  { open: '<|python_start|>', ends: ['<|python_end|>', '<|eom|>', '<|eot|>'] },
  { open: '<|tool_call_start|>', ends: ['<|tool_call_end|>', '<|im_end|>'] },
]

/**
 * Calls after a token, as JSON `{"name": …, "parameters": …}` (several separated by semicolons) or as Python: Llama 3.1
 * to 3.3 (`<|python_tag|>`), Llama 4 (`<|python_start|>`), LFM2 (`<|tool_call_start|>`). Most servers drop the closing
 * token, so the end of the answer replaces it.
 * Sources: Meta's prompt formats in llama-models, vLLM's parsers `llama3_json` and `llama4_pythonic`, LFM2's model
 * card.
 */
export const llama: Dialect = {
  name: 'Llama 3, Llama 4, LFM2',
  openers: marks.map(({ open }) => open),
  closers: marks.flatMap(({ ends }) => ends),
  parse(text, final) {
    const mark = marks.find(({ open }) => text.startsWith(open))
    if (!mark) return noMatch
    const body = readBody(text, mark.open.length, mark.ends, final)
    if (body.kind !== 'envelope') return body
    const ends = mark.ends.map((close) => ({ close, at: text.indexOf(close, body.end) })).filter(({ at }) => at !== -1)
    const end = ends.toSorted((a, b) => a.at - b.at)[0]
    if (!end) return final ? body : incomplete
    // Text between the calls and the closing token is not for the user.
    return { ...body, end: end.at + end.close.length }
  },
}

function readBody(text: string, from: number, ends: readonly string[], final: boolean): ParseResult {
  const json = readJsonCalls(text, from, final, ends)
  if (json.kind !== 'noMatch') return json
  const python = readPythonCalls(text, from)
  if (!python || (python.calls.length === 0 && (final || !python.truncated))) return noMatch
  const calls: FoundCall[] = python.calls
  return python.truncated && !final ? incomplete : { kind: 'envelope', end: python.end, calls }
}

import { none, unfinished, type Dialect, type Reading } from './dialect.ts'
import { readObjects } from './jsonCalls.ts'
import { readPythonic } from './pythonic.ts'

const marks = [
  { open: '<|python_tag|>', ends: ['<|eom_id|>', '<|eot_id|>'] },
  { open: '<|python_start|>', ends: ['<|python_end|>', '<|eom|>', '<|eot|>'] },
  { open: '<|tool_call_start|>', ends: ['<|tool_call_end|>', '<|im_end|>'] },
]

/**
 * Calls after a mark, as JSON `{"name": …, "parameters": …}` (several with semicolons) or as Python: Llama 3.1 to 3.3
 * (`<|python_tag|>`), Llama 4 (`<|python_start|>`), LFM2 (`<|tool_call_start|>`). Sources: Meta's prompt formats in llama-models, vLLM's
 * parsers `llama3_json` and `llama4_pythonic`, LFM2's model card. Servers mostly drop the mark at the end, so the answer's end stands for it.
 */
export const llama: Dialect = {
  name: 'Llama 3, Llama 4, LFM2',
  openers: marks.map(({ open }) => open),
  closers: marks.flatMap(({ ends }) => ends),
  read(text, final) {
    const mark = marks.find(({ open }) => text.startsWith(open))
    if (!mark) return none
    const from = mark.open.length
    const ends = mark.ends.map((close) => ({ close, at: text.indexOf(close, from) })).filter(({ at }) => at !== -1)
    const end = ends.toSorted((a, b) => a.at - b.at)[0]
    if (!end && !final) return unfinished(final)
    const reading = readBody(text.slice(0, end?.at), from)
    if (reading.kind !== 'envelope') return none
    // What stands between the calls and the mark is not for the user either.
    return { ...reading, end: end ? end.at + end.close.length : reading.end }
  },
}

function readBody(text: string, from: number): Reading {
  const json = readObjects(text, from)
  if (json.calls.length > 0) return { kind: 'envelope', ...json }
  const python = readPythonic(text, from)
  return python && python.calls.length > 0 ? { kind: 'envelope', end: python.end, calls: python.calls } : none
}

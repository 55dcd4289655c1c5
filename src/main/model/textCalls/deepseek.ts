import type { Dialect, FoundCall } from './dialect.ts'
import { readMarked, type Marks } from './marked.ts'

/** The marks are written with a full-width bar and a low block; some tokenizers give them back in ASCII. */
const forms: Marks[] = [
  ['｜', '▁'],
  ['|', '▁'],
  ['|', '_'],
].map(([bar, gap]) => {
  const mark = (...words: string[]) => `<${bar}${words.join(gap)}${bar}>`
  return {
    begin: mark('tool', 'calls', 'begin'),
    end: mark('tool', 'calls', 'end'),
    callBegin: mark('tool', 'call', 'begin'),
    callEnd: mark('tool', 'call', 'end'),
    separator: mark('tool', 'sep'),
  }
})

/**
 * `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME` with the arguments as fenced JSON (V2, V3, R1), or
 * `NAME<｜tool▁sep｜>{…}` (V3.1). Sources: the chat templates on DeepSeek's model cards, vLLM's parsers `deepseek_v3` and `deepseek_v31`.
 */
export const deepseek: Dialect = {
  name: 'DeepSeek V2 to V3.1, R1',
  openers: forms.flatMap(({ begin, callBegin }) => [begin, callBegin]),
  closers: forms.map(({ end }) => end),
  read(text, final) {
    const marks = forms.find(({ begin, callBegin }) => text.startsWith(begin) || text.startsWith(callBegin))
    return marks ? readMarked(text, marks, split, final) : { kind: 'none' }
  },
}

function split(before: string, after: string): FoundCall {
  if (before !== 'function') return { name: before, arguments: after || '{' }
  const line = after.indexOf('\n')
  if (line === -1) return { name: after, arguments: '{' }
  const fenced = after.slice(line + 1).trim()
  return { name: after.slice(0, line).trim(), arguments: fenced.replace(/^```\w*\s*/, '').replace(/\s*```$/, '') || '{' }
}

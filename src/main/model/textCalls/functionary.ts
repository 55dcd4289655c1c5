import {
  hasCompleteArguments,
  isJson,
  incomplete,
  noMatch,
  skipSpace,
  type Dialect,
  type FoundCall,
  type ParseResult,
} from './dialect.ts'
import { readValue } from './jsonCalls.ts'

const variants = [
  {
    open: '>>>',
    head: />>>([\w.:-]{1,128})\n/y,
    begun: /^>>>[\w.:-]{0,128}$/,
    ends: ['>>>', '<|eot_id|>', '<|eom_id|>'],
  },
  {
    open: '<|recipient|>',
    head: /<\|recipient\|>\s*([\w.:-]{1,128})\s*<\|content\|>/y,
    begun: /^<\|recipient\|>\s*(?:[\w.:-]{1,128}\s*)?(?:<[|content]{0,9})?$/,
    ends: ['<|from|>', '<|stop|>'],
  },
]

/**
 * `>>>NAME` with JSON on the next line, `>>>all` before text (Functionary 3.2), and
 * `<|recipient|>NAME\n<|content|>{…}<|stop|>` (2.x). The prompt contains the first token, so an answer may start with
 * the name (bareCalls.ts). Functionary 3.1 writes Llama's `<function=NAME>`.
 * Sources: MeetKai/functionary, prompt_template; llama.cpp's `functionary-v3-2.cpp`.
 */
export const functionary: Dialect = {
  name: 'Functionary',
  openers: variants.map(({ open }) => open),
  closers: ['}'],
  parse(text, final) {
    const form = variants.find(({ open }) => text.startsWith(open))
    if (!form) return noMatch
    form.head.lastIndex = 0
    const name = form.head.exec(text)?.[1]
    if (name === undefined) return !final && form.begun.test(text.slice(0, 300)) ? incomplete : noMatch
    const from = form.head.lastIndex
    // Text for the user follows.
    if (name === 'all') return { kind: 'envelope', end: from, calls: [] }
    return readBody(text, from, name, form.ends, final)
  },
}

function readBody(text: string, from: number, name: string, ends: readonly string[], final: boolean): ParseResult {
  const at = skipSpace(text, from)
  if (at === text.length) return final ? noMatch : incomplete
  if (text[at] !== '{') return noMatch
  const value = readValue(text, at, ends, final)
  if (!value) return incomplete
  // Only valid JSON distinguishes such a call from a Python shell session.
  if (value.end < text.length && !isJson(value.json)) return noMatch
  return { kind: 'envelope', end: value.end, calls: [{ name, arguments: value.json }] }
}

/** Returns the calls of an answer that consists of nothing else, with the first token in the prompt. */
export function readNamedCalls(answer: string): FoundCall[] | undefined {
  const calls: FoundCall[] = []
  for (let rest = answer.startsWith('>>>') ? answer : `>>>${answer}`; rest !== '';) {
    const reading = functionary.parse(rest, true)
    if (reading.kind !== 'envelope' || !reading.calls.every(hasCompleteArguments)) return undefined
    calls.push(...reading.calls)
    rest = rest.slice(reading.end).trim()
    if (rest !== '' && !rest.startsWith('>>>')) return undefined
  }
  return calls.length > 0 ? calls : undefined
}

import { incomplete, noMatch, skipSpace, type Dialect, type ParseResult } from './dialect.ts'
import { stepTag } from './invokeTag.ts'
import { readDelimitedCall, type CallDelimiters } from './delimitedCall.ts'
import { readTaggedCall } from './taggedCall.ts'

/**
 * DeepSeek writes these tokens with full-width bars and low blocks. Some tokenizers return ASCII, and Step 3 mixes
 * both.
 */
const variants: readonly CallDelimiters[] = [
  ['｜', '▁'],
  ['|', '▁'],
  ['｜', '_'],
].map(([bar = '', gap = '']) => marksWith(bar, gap))
/** The ASCII variant. Kimi's calls start with the same token. */
const ascii = marksWith('|', '_')

/** Maximum number of characters between the name and the JSON below it. */
const maxGapLength = 300

function marksWith(bar: string, gap: string): CallDelimiters {
  const mark = (...words: string[]) => `<${bar}${words.join(gap)}${bar}>`
  return {
    callBegin: mark('tool', 'call', 'begin'),
    callEnd: mark('tool', 'call', 'end'),
    separator: mark('tool', 'sep'),
  }
}

/**
 * `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME` with the arguments as fenced JSON (V2, V3, R1), or
 * `NAME<｜tool▁sep｜>{…}` (V3.1). Step 3 has `<steptml:invoke name="…">` after `function<｜tool_sep｜>`. Sources: the chat
 * templates on the model cards, vLLM's parsers `deepseek_v3`, `deepseek_v31` and `step3`.
 */
export const deepseek: Dialect = {
  name: 'DeepSeek V2 to V3.1, R1, Step 3',
  openers: variants.map(({ callBegin }) => callBegin),
  closers: variants.map(({ callEnd }) => callEnd),
  parse(text, final) {
    const marks = variants.find(({ callBegin }) => text.startsWith(callBegin))
    return marks ? readCall(text, marks, final) : noMatch
  },
}

/** Reads a call with DeepSeek's ASCII tokens; undefined if it has other ones. */
export function readAsciiCall(text: string, final: boolean): ParseResult | undefined {
  return text.slice(0, 400).includes(ascii.separator) ? readCall(text, ascii, final) : undefined
}

function readCall(text: string, marks: CallDelimiters, final: boolean): ParseResult {
  return (
    readStep(text, marks, final) ??
    readDelimitedCall(
      text,
      marks,
      (before, at) => (before === 'function' ? nameAfter(text, at, final) : { name: before, at }),
      final,
    )
  )
}

/** Reads the name on the rest of the line. The JSON follows in a fence. */
function nameAfter(
  text: string,
  from: number,
  final: boolean,
): { name: string; at: number } | 'incomplete' | 'noMatch' {
  const line = text.indexOf('\n', from)
  if (line === -1) return final || text.length - from > 300 ? 'noMatch' : 'incomplete'
  const name = text.slice(from, line).trim()
  const fence = /\s*(?:```\w*)?\s*/y
  fence.lastIndex = line
  fence.exec(text)
  // Limits the whitespace before a call. Otherwise each chunk of a long answer would be parsed from the start.
  if (fence.lastIndex === text.length && !final) return text.length - line > maxGapLength ? 'noMatch' : 'incomplete'
  return name === '' ? 'noMatch' : { name, at: fence.lastIndex }
}

/** @returns undefined if the call does not have Step 3's tags */
function readStep(
  text: string,
  { callBegin, callEnd, separator }: CallDelimiters,
  final: boolean,
): ParseResult | undefined {
  const open = '<steptml:invoke'
  const start = skipSpace(text, callBegin.length)
  const prefix = `function${separator}`
  const at = text.startsWith(prefix, start) ? skipSpace(text, start + prefix.length) : start
  const head = text.slice(at, at + open.length)
  if (head !== open) return !final && head !== '' && open.startsWith(head) ? incomplete : undefined
  const found = readTaggedCall(text, at, stepTag, final)
  if (found === undefined) return incomplete
  if (found === 'noMatch') return noMatch
  const next = skipSpace(text, found.end)
  if (text.startsWith(callEnd, next)) return { kind: 'envelope', end: next + callEnd.length, calls: [found.call] }
  return !final && callEnd.startsWith(text.slice(next, next + callEnd.length))
    ? incomplete
    : { kind: 'envelope', end: found.end, calls: [found.call] }
}

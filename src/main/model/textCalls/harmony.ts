import { incomplete, noMatch, skipSpace, incompleteUnlessFinal, type Dialect, type ParseResult } from './dialect.ts'
import { readValue } from './jsonCalls.ts'

const head =
  /^(?:<\|start\|>assistant)?(?:\s*to=([\w.-]+))?\s*<\|channel\|>\s*(\w+)(?:\s*to=([\w.-]+))?(?:\s*<\|constrain\|>\s*(?:\w+\s*)?|\s+\w+\s*|\s*)<\|message\|>/
/** Matches an incomplete head: tokens and single words only. */
const headBegun = /^[\s\w.=<|>-]*$/
/** A recipient without a channel after it is prose. */
const recipientBegun = /^ ?to=[\w.-]*\s*(?:<(?:\|(?:c(?:h[\s\S]*)?)?)?)?$/
const ends = ['<|end|>', '<|call|>', '<|return|>', '<|start|>', '<|channel|>']
/** Tokens that start the next message. */
const nextMessage = ['<|start|>', '<|channel|>']
/** Maximum length of a header, in characters. */
const maxHeadLength = 300

/**
 * gpt-oss' channels, if a server returns them:
 * `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>` is a call, in any channel and with
 * the recipient in either place. `analysis` is reasoning; `final`, and `commentary` without a recipient, are text.
 * Source: OpenAI's description of the harmony response format.
 */
export const harmony: Dialect = {
  name: 'gpt-oss (harmony)',
  openers: ['<|channel|>', '<|start|>assistant', 'to=functions.', ' to=functions.'],
  closers: ends,
  parse(text, final) {
    const header = head.exec(text)
    if (!header) {
      const begun = text.slice(0, maxHeadLength)
      const isOpen =
        text.length <= maxHeadLength && headBegun.test(begun) && (begun.startsWith('<') || recipientBegun.test(begun))
      return isOpen ? incompleteUnlessFinal(final) : noMatch
    }
    const from = header[0].length
    const recipient = header[1] ?? header[3]
    if (recipient) return readCall(text, from, recipient.replace(/^functions\./, ''), final)
    const mark = firstEnd(text, from)
    if (!mark && !final) return incomplete
    const body = text.slice(from, mark?.at)
    return {
      kind: 'envelope',
      end: mark?.next ?? text.length,
      calls: [],
      ...(header[2] === 'analysis' ? { reasoning: body } : { text: body }),
    }
  },
}

function readCall(text: string, from: number, name: string, final: boolean): ParseResult {
  const start = skipSpace(text, from)
  if (text[start] !== '{') {
    const mark = firstEnd(text, from)
    if (!mark && !final) return incomplete
    const body = text.slice(from, mark?.at).trim()
    return {
      kind: 'envelope',
      end: mark?.next ?? text.length,
      calls: [{ name, arguments: body || (mark ? '{}' : '{') }],
    }
  }
  const value = readValue(text, start, ends, final)
  if (!value) return incomplete
  const at = skipSpace(text, value.end)
  const rest = text.slice(at, at + 12)
  const envelope = (end: number): ParseResult => ({ kind: 'envelope', end, calls: [{ name, arguments: value.json }] })
  const mark = ends.find((end) => rest.startsWith(end))
  if (mark) return envelope(nextMessage.includes(mark) ? at : at + mark.length)
  return !final && ends.some((end) => end.startsWith(rest)) ? incomplete : envelope(value.end)
}

/**
 * Finds the first token that ends a message, and the position after it. A token that starts the next message is not
 * consumed.
 */
function firstEnd(text: string, from: number): { at: number; next: number } | undefined {
  const marks = ends.map((end) => ({ end, at: text.indexOf(end, from) })).filter(({ at }) => at !== -1)
  const mark = marks.toSorted((a, b) => a.at - b.at)[0]
  return mark && { at: mark.at, next: nextMessage.includes(mark.end) ? mark.at : mark.at + mark.end.length }
}

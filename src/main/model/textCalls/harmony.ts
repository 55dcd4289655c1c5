import { more, none, unfinished, type Dialect } from './dialect.ts'

const head =
  /^(?:<\|start\|>assistant)?(?:\s*to=([\w.-]+))?\s*(?:<\|channel\|>\s*(\w+)\s*(?:to=([\w.-]+))?\s*)(?:<\|constrain\|>\s*\w*\s*|\w+\s*)?<\|message\|>/
const ends = ['<|end|>', '<|call|>', '<|return|>', '<|start|>', '<|channel|>']
/** No header is longer. Characters. */
const longestHead = 300

/**
 * gpt-oss' channels, where a server hands them through:
 * `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>` is a call, `analysis` a thought, `final` and a commentary to nobody are text. Source: OpenAI's description of the harmony response format.
 */
export const harmony: Dialect = {
  name: 'gpt-oss (harmony)',
  openers: ['<|channel|>', '<|start|>assistant'],
  closers: ends,
  read(text, final) {
    const header = head.exec(text)
    if (!header) return text.length > longestHead ? none : unfinished(final)
    const from = header[0].length
    const marks = ends.map((end) => ({ end, at: text.indexOf(end, from) })).filter(({ at }) => at !== -1)
    const mark = marks.toSorted((a, b) => a.at - b.at)[0]
    if (!mark && !final) return more
    const body = text.slice(from, mark?.at)
    // A mark that begins the next message is left to it.
    const end = !mark ? text.length : mark.end === '<|start|>' || mark.end === '<|channel|>' ? mark.at : mark.at + mark.end.length
    const recipient = header[1] ?? header[3]
    if (recipient) {
      const call = { name: recipient.replace(/^functions\./, ''), arguments: body.trim() || (mark ? '{}' : '{') }
      return { kind: 'envelope', end, calls: [call] }
    }
    return { kind: 'envelope', end, calls: [], ...(header[2] === 'analysis' ? { reasoning: body } : { text: body }) }
  },
}

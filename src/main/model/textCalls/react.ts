import { closingBracketEnd } from './jsonScan.ts'
import { incomplete, incompleteUnlessFinal, isJson, noMatch, type Dialect, type OfferedTools } from './dialect.ts'

/** Ends an input that is not JSON. */
const nextStep = /\n[ \t]*(?:Observation|Thought|Action|Final Answer):/

/**
 * ReAct: `Action: name`, and on the next line `Action Input:` with JSON, or with the bare value of a tool that has one
 * required parameter. The words also occur in prose, so the name must be an offered tool's.
 */
export const react: Dialect = {
  name: 'ReAct',
  openers: ['Action:'],
  closers: ['}', 'Observation:', 'Thought:', 'Action:', 'Final Answer:'],
  parse(text, final, offered) {
    if (!offered) return noMatch
    const line = /^Action:[ \t]*([^\r\n]{0,150})(\r?\n\s*)?/.exec(text)
    const name = line?.[1]?.trim().replace(/^[`"']|[`"']$/g, '') ?? ''
    if (line?.[2] === undefined) {
      const mayFollow = line?.[0] === text && offered.names.some((tool) => tool.startsWith(name.replace(/[`"']$/, '')))
      return mayFollow ? incompleteUnlessFinal(final) : noMatch
    }
    if (!offered.names.includes(name)) return noMatch
    const label = 'Action Input:'
    const rest = text.slice(line[0].length)
    if (!rest.startsWith(label)) return label.startsWith(rest) ? incompleteUnlessFinal(final) : noMatch
    const input = readInput(text, line[0].length + label.length, final)
    if (!input) return incomplete
    const written = argumentsOf(input.text, name, offered)
    return written === undefined
      ? noMatch
      : { kind: 'envelope', end: input.end, calls: [{ name, arguments: written }], inventsResults: true }
  },
}

/** Returns the input and where it ends; undefined while it is incomplete. */
function readInput(text: string, from: number, final: boolean): { text: string; end: number } | undefined {
  const [lead = '', fence] = /^\s*(```[^\n`]*\n?)?\s*/.exec(text.slice(from)) ?? []
  const start = from + lead.length
  if (text[start] === '{') {
    const end = closingBracketEnd(text, start)
    if (end === undefined) return final ? { text: text.slice(start), end: text.length } : undefined
    const closing = /^\s*(```)?/.exec(text.slice(end))?.[0].length ?? 0
    if (fence !== undefined && !final && !text.slice(end, end + closing).endsWith('```') && text.length - end < 8)
      return undefined
    return { text: text.slice(start, end), end: fence === undefined ? end : end + closing }
  }
  const next = nextStep.exec(text.slice(from))
  if (!next && !final) return undefined
  const end = next ? from + next.index : text.length
  const value = text.slice(start, Math.max(start, end)).trim()
  return { text: fence === undefined ? value : value.endsWith('```') ? value.slice(0, -3).trimEnd() : value, end }
}

/** Returns the arguments as JSON text; undefined if the tool takes no bare value. */
function argumentsOf(input: string, name: string, { soleParameterOf }: OfferedTools): string | undefined {
  if (input.startsWith('{')) return input
  const parameter = soleParameterOf(name)
  if (parameter === undefined || input === '') return input === '' ? '{}' : undefined
  const value: unknown = isJson(input) ? JSON.parse(input) : input
  return JSON.stringify({ [parameter]: typeof value === 'string' ? value : input })
}

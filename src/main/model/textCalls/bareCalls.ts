import { closingBracketEnd } from './jsonScan.ts'
import type { FoundCall } from './dialect.ts'
import { dialects } from './dialects.ts'
import { readNamedCalls } from './functionary.ts'
import { callFromValue, isBareCall } from './jsonCalls.ts'
import { skipTokens } from './delimiters.ts'
import { readPythonCalls } from './pythonic.ts'

/** Maximum length of a call in a fence or without an envelope, in characters. */
const maxBareCallLength = 128 * 1024
/** Length of the start of the answer that decides whether it may be such a call, in characters. */
const headLength = 600
/** Maximum whitespace to skip before an answer, in characters. */
const maxLeadingSpace = 1000

export interface BareCallReader {
  /**
   * @param text the whole answer so far
   * @returns undefined while the answer may consist of calls only; then those calls, and the text left to parse
   */
  read(text: string, final: boolean): { calls: FoundCall[]; rest: string } | undefined
}

/** Reads an answer that may consist of calls without an envelope. @param tools only calls of these count */
export function createBareCallReader(tools: readonly string[]): BareCallReader {
  let mayBe: boolean | undefined
  return {
    read(text, final) {
      const trimmed = text.slice(0, maxLeadingSpace + headLength).trimStart()
      const space = Math.min(text.length, maxLeadingSpace + headLength) - trimmed.length
      if (space > maxLeadingSpace) return { calls: [], rest: text }
      if (!final && trimmed === '') return undefined
      // Text after the head cannot change the result.
      if (mayBe === undefined || trimmed.length < headLength)
        mayBe = mayBeWholeCall(trimmed.slice(0, headLength), tools)
      if (!final && mayBe && text.length <= maxBareCallLength) return undefined
      const answer = text.slice(space)
      const calls = final ? readWholeCall(answer, tools) : undefined
      if (calls) return { calls, rest: '' }
      return { calls: [], rest: isNamedTurn(answer, tools) ? `<|recipient|>${answer}` : text }
    },
  }
}

/**
 * Whether an answer may consist of calls without an envelope: JSON, JSON or a call in a code fence, a Python list of
 * calls, or a tool name with JSON on the next line. The text is held back while it may.
 */
function mayBeWholeCall(text: string, tools: readonly string[]): boolean {
  const fence = /^`{1,2}$|^```[^\n`]{0,40}(\n|$)\s*/.exec(text)
  if (fence) return mayBeBody(text.slice(fence[0].length), true)
  return mayBeBody(text, false) || mayBeNamed(text, tools)
}

const keys = [
  'name',
  'tool',
  'tool_name',
  'function',
  'arguments',
  'parameters',
  'args',
  'input',
  'id',
  'type',
  'tool_call_id',
]

function mayBeBody(text: string, fenced: boolean): boolean {
  if (text === '') return fenced
  const object = /^\[?\s*\{\s*(?:"(\w*)("?)|$)/.exec(text)
  if (object) return object[2] ? keys.includes(object[1] ?? '') : keys.some((key) => key.startsWith(object[1] ?? ''))
  if (/^\[\s*(?:[A-Za-z_][\w.-]*(?:\(|$)|$)/.test(text)) return true
  if (!fenced) return false
  return (
    /^[A-Za-z_][\w.-]*(?:\(|$)/.test(text) ||
    openers.some((opener) => text.startsWith(opener) || opener.startsWith(text))
  )
}
const openers = dialects.flatMap((dialect) => dialect.openers)

/** Separates the recipient from the content in Functionary's template. */
const content = '<|content|>'

function mayBeNamed(text: string, tools: readonly string[]): boolean {
  return [...tools, 'all'].some((name) => {
    if (text.length <= name.length) return name.startsWith(text)
    if (!text.startsWith(`${name}\n`)) return false
    const rest = text.slice(name.length).trimStart()
    return (
      (name !== 'all' && /^\{?/.exec(rest)?.[0] !== '') || (rest.length < content.length && content.startsWith(rest))
    )
  })
}

function isNamedTurn(text: string, tools: readonly string[]): boolean {
  const name = /^([\w.:-]{1,128})\n\s{0,8}<\|content\|>/.exec(text)?.[1]
  return name !== undefined && (name === 'all' || tools.includes(name))
}

/**
 * Returns the calls of an answer that consists of nothing else. Without an envelope, they must be calls of offered
 * tools in JSON, a Python list, or Functionary's format; a fence may also contain an envelope. Undefined for anything
 * else, including truncated calls.
 */
function readWholeCall(answer: string, tools: readonly string[]): FoundCall[] | undefined {
  const text = withoutTokensAtEnd(answer.trim())
  const fenced = /^```[^\n`]*\n([\s\S]*?)\n?```$/.exec(text)
  const body = (fenced?.[1] ?? text).trim()
  if (fenced) {
    const dialect = dialects.find(({ openers: own }) => own.some((opener) => body.startsWith(opener)))
    const reading = dialect?.parse(body, true)
    if (reading?.kind === 'envelope')
      return body.slice(reading.end).trim() === '' && reading.calls.length > 0 ? reading.calls : undefined
  }
  const calls = jsonCalls(body) ?? pythonCalls(body, fenced !== null) ?? readNamedCalls(body)
  return calls?.every(({ name }) => tools.includes(name)) ? calls : undefined
}

/** Removes the chat template's tokens at the end. */
function withoutTokensAtEnd(text: string): string {
  const at = text[0] === '{' || text[0] === '[' ? closingBracketEnd(text) : undefined
  if (at !== undefined && skipTokens(text.slice(at)) === '') return text.slice(0, at)
  const fence = text.startsWith('```') ? text.lastIndexOf('```') : -1
  return fence > 0 && skipTokens(text.slice(fence + 3)) === '' ? text.slice(0, fence + 3) : text
}

function jsonCalls(text: string): FoundCall[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Malformed JSON without an envelope may be anything.
    return undefined
  }
  const values: unknown[] = Array.isArray(value) ? value : [value]
  const calls = values.map((single) => (isBareCall(single) ? callFromValue(single) : undefined))
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined
}

function pythonCalls(text: string, fenced: boolean): FoundCall[] | undefined {
  if (!fenced && !text.startsWith('[')) return undefined
  const found = readPythonCalls(text, 0)
  const complete =
    found && !found.truncated && text.endsWith(text.startsWith('[') ? ']' : ')') && text.slice(found.end).trim() === ''
  return complete && found.calls.length > 0 ? found.calls : undefined
}

import type { FoundCall } from './dialect.ts'
import { dialects } from './dialects.ts'
import { callOf, isPlainCall } from './jsonCalls.ts'
import { readPythonic } from './pythonic.ts'

/** An answer longer than this is no single call in a fence or without an envelope. Characters. */
const longest = 128 * 1024

/**
 * Whether an answer may turn out to be nothing but a call without an envelope: JSON, JSON or a call in a code fence, or a list of calls
 * in Python. While it may, nothing of it is shown. @param text what is there of it, without white space before it
 */
export function mayBeWholeCall(text: string): boolean {
  if (text.length > longest) return false
  const fence = /^`{1,2}$|^```[^\n`]{0,40}(\n|$)\s*/.exec(text)
  if (fence) return mayBeBody(text.slice(fence[0].length), true)
  return mayBeBody(text, false)
}

const keys = ['name', 'tool', 'tool_name', 'function', 'arguments', 'parameters', 'args', 'input', 'id', 'type', 'tool_call_id']

function mayBeBody(text: string, fenced: boolean): boolean {
  if (text === '') return fenced
  const object = /^\[?\s*\{\s*(?:"(\w*)("?)|$)/.exec(text)
  if (object) return object[2] ? keys.includes(object[1] ?? '') : keys.some((key) => key.startsWith(object[1] ?? ''))
  if (/^\[\s*(?:[A-Za-z_][\w.]*(?:\(|$)|$)/.test(text)) return true
  if (!fenced) return false
  return /^[A-Za-z_][\w.]*(?:\(|$)/.test(text) || openers.some((opener) => text.startsWith(opener) || opener.startsWith(text))
}
const openers = dialects.flatMap((dialect) => dialect.openers)

/**
 * The calls that a whole answer is. Without an envelope it must be exactly one call of an offered tool in JSON, or a list of such in
 * Python; inside a fence it may be an envelope too. Undefined for everything else, what was cut off included.
 */
export function readWholeCall(answer: string, tools: readonly string[]): FoundCall[] | undefined {
  const text = answer.trim()
  const fenced = /^```[^\n`]*\n([\s\S]*?)\n?```$/.exec(text)
  const body = (fenced?.[1] ?? text).trim()
  if (fenced) {
    const dialect = dialects.find(({ openers: own }) => own.some((opener) => body.startsWith(opener)))
    const reading = dialect?.read(body, true)
    if (reading?.kind === 'envelope') return body.slice(reading.end).trim() === '' && reading.calls.length > 0 ? reading.calls : undefined
  }
  const calls = jsonCall(body) ?? pythonCalls(body, fenced !== null)
  return calls?.every(({ name }) => tools.includes(name)) ? calls : undefined
}

function jsonCall(text: string): FoundCall[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Broken JSON without an envelope may be anything.
    return undefined
  }
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  const call = isPlainCall(single) ? callOf(single) : undefined
  return call && [call]
}

function pythonCalls(text: string, fenced: boolean): FoundCall[] | undefined {
  if (!fenced && !text.startsWith('[')) return undefined
  const found = readPythonic(text, 0)
  const complete = found && text.endsWith(text.startsWith('[') ? ']' : ')') && text.slice(found.end).trim() === ''
  return complete && found.calls.length > 0 && found.calls.every((call) => call.arguments.endsWith('}')) ? found.calls : undefined
}

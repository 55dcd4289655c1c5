import { truncatedArguments, emptyArguments, type FoundCall } from './dialect.ts'
import { PythonText, UnexpectedEnd, SyntaxMismatch } from './pythonText.ts'

/** Python calls as a list, `[f(a=1, b="x"), g()]`, or a single one, `f(a=1)`. */
export interface PythonicCalls {
  calls: FoundCall[]
  /** The position after the list or call, or the length of a truncated text. */
  end: number
  /** The text is truncated, so the last call may be incomplete. */
  truncated: boolean
}

/**
 * Reads calls with literal keyword arguments. Positional arguments, names and expressions do not match.
 * Source: Llama 3.2's and Llama 4's prompt formats, LFM2's model card, vLLM's parser `pythonic`.
 */
export function readPythonCalls(text: string, from: number): PythonicCalls | undefined {
  return read(text, from, (reader) => {
    reader.space()
    return reader.take('[') ? 'list' : 'single'
  })
}

/** Reads one call per line, without brackets. Source: vLLM's parser `olmo3`. */
export function readPythonLines(text: string, from: number): PythonicCalls | undefined {
  return read(text, from, () => 'lines')
}

function read(
  text: string,
  from: number,
  formOf: (reader: PythonText) => 'list' | 'single' | 'lines',
): PythonicCalls | undefined {
  const reader = new PythonText(text, from)
  const calls: FoundCall[] = []
  try {
    const form = formOf(reader)
    for (;;) {
      reader.space()
      if (form === 'list' && reader.take(']')) return { calls, end: reader.at, truncated: false }
      calls.push(readCall(reader))
      const { at } = reader
      if (form === 'single') return { calls, end: at, truncated: false }
      reader.space()
      if (form === 'lines' && !/[A-Za-z_]/.test(text.charAt(reader.at))) return { calls, end: at, truncated: false }
      if (form === 'list' && !reader.take(',') && !reader.isAt(']')) throw reader.unexpected()
    }
  } catch (error) {
    if (error instanceof SyntaxMismatch) return undefined
    if (!(error instanceof UnexpectedEnd)) throw error
    if (error.call) calls.push(error.call)
    return { calls, end: text.length, truncated: true }
  }
}

function readCall(reader: PythonText): FoundCall {
  // Llama 3.1 calls its built-in tools as `brave_search.call(…)`.
  const name = reader.match(/[A-Za-z_][\w.-]*/y)?.replace(/\.call$/, '')
  if (!name || !reader.take('(')) throw reader.unexpected()
  const values = emptyArguments()
  try {
    for (;;) {
      reader.space()
      if (reader.take(')')) return { name, arguments: JSON.stringify(values) }
      const key = reader.match(/[A-Za-z_]\w*/y)
      reader.space()
      if (!key || !reader.take('=')) throw reader.unexpected()
      values[key] = reader.value()
      reader.space()
      if (!reader.take(',') && !reader.isAt(')')) throw reader.unexpected()
    }
  } catch (error) {
    throw error instanceof UnexpectedEnd ? new UnexpectedEnd({ name, arguments: truncatedArguments(values) }) : error
  }
}

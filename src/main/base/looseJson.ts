import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser'

/**
 * Parses JSON with comments and trailing commas in linear time. Repairing hostile text could take minutes. Undefined
 * if it is not JSON or too deeply nested.
 */
export function parseLooseJson(text: string): unknown {
  const { value, problem } = checkLooseJson(text)
  return problem === undefined ? value : undefined
}

/** Parses like `parseLooseJson`, and returns where the first error is. `line` is 1-based. */
export function checkLooseJson(text: string): { value: unknown; problem?: { message: string; line: number } } {
  const errors: ParseError[] = []
  const json = text.startsWith('\ufeff') ? text.slice(1) : text
  try {
    const value: unknown = parse(json, errors, { allowTrailingComma: true })
    const [error] = errors
    if (error === undefined) return { value }
    const line = json.slice(0, error.offset).split('\n').length
    const words = printParseErrorCode(error.error).replaceAll(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    return { value: undefined, problem: { message: words, line } }
  } catch {
    // Nested deeper than the stack allows.
    return { value: undefined, problem: { message: 'Nested too deeply', line: 1 } }
  }
}

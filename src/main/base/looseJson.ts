import { parse, type ParseError } from 'jsonc-parser'

/**
 * Parses JSON with comments and trailing commas in linear time. Repairing hostile text could take minutes. Undefined
 * if it is not JSON or too deeply nested.
 */
export function parseLooseJson(text: string): unknown {
  const errors: ParseError[] = []
  try {
    const value: unknown = parse(text.startsWith('\ufeff') ? text.slice(1) : text, errors, { allowTrailingComma: true })
    return errors.length === 0 ? value : undefined
  } catch {
    return undefined // nested deeper than the stack allows
  }
}

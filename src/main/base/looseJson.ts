import { parse, type ParseError } from 'jsonc-parser'

/**
 * Parses JSON that may have comments and trailing commas, in linear time: repairing a hostile text could take minutes.
 * Undefined if it is anything else, or nested too deeply.
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

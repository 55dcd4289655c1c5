import { truncate } from '../../shared/text/truncate.ts'
/** Maximum characters that an error quotes. */
const maxQuote = 200

/** Returns the start of a text on one line, for an error. */
export function quote(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return truncate(line, maxQuote)
}

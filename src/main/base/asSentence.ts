/**
 * Adds the full stop that a text of another program lacks, so that a sentence can follow it, for example a hint.
 * @returns the text without white space at its end
 */
export function asSentence(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed === '' || /[.!?…。！？][)\]"'”’`]*$/.test(trimmed) ? trimmed : `${trimmed}.`
}

/** Trims the end of another program's message and adds a missing full stop, so that a sentence can follow it. */
export function asSentence(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed === '' || /[.!?…。！？][)\]"'”’`]*$/.test(trimmed) ? trimmed : `${trimmed}.`
}

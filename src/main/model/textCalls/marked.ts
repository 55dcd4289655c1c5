import { none, unfinished, type FoundCall, type Reading } from './dialect.ts'

/** Marks around calls and between a call's name and its arguments. */
export interface Marks {
  /** Around all calls; the beginning is optional, models leave it out. */
  begin: string
  end: string
  callBegin: string
  callEnd: string
  /** Between name and arguments. */
  separator: string
}

/** Reads calls between marks. Their end is that of the section, or of the answer. @param split tells name and arguments apart */
export function readMarked(text: string, marks: Marks, split: (before: string, after: string) => FoundCall, final: boolean): Reading {
  const sectionEnd = text.indexOf(marks.end)
  if (sectionEnd === -1 && !final) return unfinished(final)
  const body = sectionEnd === -1 ? text : text.slice(0, sectionEnd)
  const calls: FoundCall[] = []
  for (const part of body.split(marks.callBegin).slice(1)) {
    const inner = part.split(marks.callEnd)[0] ?? ''
    const at = inner.indexOf(marks.separator)
    // A name that was cut off names nothing.
    if (at !== -1) calls.push(split(inner.slice(0, at).trim(), inner.slice(at + marks.separator.length).trim()))
  }
  return calls.length > 0 ? { kind: 'envelope', end: sectionEnd === -1 ? text.length : sectionEnd + marks.end.length, calls } : none
}

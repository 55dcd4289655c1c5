/** Style of a part of a text. Colors are the eight ANSI names. */
export interface AnsiStyle {
  color?: AnsiColor
  bold?: true
  dim?: true
  italic?: true
  underline?: true
}

export const ansiColors = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
export type AnsiColor = (typeof ansiColors)[number]

export interface AnsiSpan {
  text: string
  style: AnsiStyle
}

/** Escape sequences: CSI, which includes colors, OSC, and those of two characters. */
// oxlint-disable-next-line no-control-regex -- Escape sequences start with a control character.
const sequence = /\u001b(?:\[([0-9;:?<=>]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g

/**
 * Applies the parameters of a color sequence. Ignores all but the eight ANSI colors, because themes cannot change the
 * others.
 */
function withParameters(style: AnsiStyle, parameters: string): AnsiStyle {
  let next: AnsiStyle = { ...style }
  const codes = parameters.split(/[;:]/).map(Number)
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0
    if (code === 0) next = {}
    else if (code === 1) next.bold = true
    else if (code === 2) next.dim = true
    else if (code === 3) next.italic = true
    else if (code === 4) next.underline = true
    else if (code === 22) {
      delete next.bold
      delete next.dim
    } else if (code === 23) delete next.italic
    else if (code === 24) delete next.underline
    else if (code === 39) delete next.color
    else if (code === 38 || code === 48) {
      if (code === 38) delete next.color
      // `38;5;n` and `38;2;r;g;b`
      index += codes[index + 1] === 5 ? 2 : codes[index + 1] === 2 ? 4 : 0
    } else {
      const color = ansiColors[code >= 90 ? code - 90 : code - 30]
      if (((code >= 30 && code < 38) || (code >= 90 && code < 98)) && color !== undefined) next.color = color
    }
  }
  return next
}

/** Pure: splits a text into spans of one style, and removes all escape sequences. @param start style at the start */
export function parseAnsi(text: string, start: AnsiStyle = {}): { spans: AnsiSpan[]; end: AnsiStyle } {
  if (!text.includes('\u001b')) return { spans: text === '' ? [] : [{ text, style: start }], end: start }
  const spans: AnsiSpan[] = []
  let style = start
  let at = 0
  for (const { 0: found, 1: parameters = '', 2: final, index } of text.matchAll(sequence)) {
    if (index > at) spans.push({ text: text.slice(at, index), style })
    if (final === 'm') style = withParameters(style, parameters)
    at = index + found.length
  }
  if (at < text.length) spans.push({ text: text.slice(at), style })
  return { spans, end: style }
}

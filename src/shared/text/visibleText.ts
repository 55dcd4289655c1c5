/** Code point ranges of characters that are invisible or change how surrounding text is displayed. */
const invisible: readonly (readonly [number, number])[] = [
  [0x80, 0x9f], // C1 controls
  [0xad, 0xad], // soft hyphen
  [0x34f, 0x34f], // combining grapheme joiner
  [0x61c, 0x61c], // Arabic letter mark
  [0x115f, 0x1160], // Hangul fillers
  [0x17b4, 0x17b5], // Khmer inherent vowels
  [0x180b, 0x180f], // Mongolian variation selectors and vowel separator
  [0x200b, 0x200f], // zero width, left-to-right and right-to-left marks
  [0x2028, 0x202e], // line and paragraph separators, bidirectional embeddings and overrides
  [0x2060, 0x206f], // word joiner, invisible operators, bidirectional isolates
  [0x3164, 0x3164], // Hangul filler
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff], // byte order mark
  [0xffa0, 0xffa0], // halfwidth Hangul filler
  [0xfff0, 0xfffb], // specials
  [0xd800, 0xdfff], // a surrogate without its other half
  [0x1d173, 0x1d17a], // musical format controls
  [0xe0000, 0xe0fff], // tags and more variation selectors
]

function isInvisible(code: number): boolean {
  return invisible.some(([from, to]) => code >= from && code <= to)
}

/** Returns the symbol for a control character: U+2400 and up for C0 controls, U+2421 for DEL. */
function controlSymbol(code: number): string | undefined {
  if (code < 0x20 && code !== 0x09 && code !== 0x0a) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return undefined
}

/**
 * Makes hidden characters visible, so that the user sees what a command or path really contains. Replaces control
 * characters except newline and tab, and invisible or direction-changing characters, with symbols (`␛`, `\u202e`). For
 * display only, because the result cannot be converted back.
 */
export function visibleText(text: string): string {
  let result = ''
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    const symbol = controlSymbol(code)
    if (symbol !== undefined) result += symbol
    else if (isInvisible(code))
      result += code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
    else result += character
  }
  return result
}

/** Whether a text contains a character that `visibleText` replaces. */
export function hasHiddenCharacters(text: string): boolean {
  return visibleText(text) !== text
}

/** Characters that look like a space or like nothing, but belong to a word for a shell. */
const blanksInWords = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/g

/** Like `visibleText`, for a command line: also shows blanks that do not separate words, as `\u00a0`. */
export function visibleCommand(text: string): string {
  return visibleText(text).replaceAll(
    blanksInWords,
    (blank) => `\\u${(blank.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

/** Whether a command line contains a character that `visibleCommand` replaces. */
export function hasHiddenInCommand(line: string): boolean {
  return visibleCommand(line) !== line
}

/** Removes the characters that `visibleText` replaces. For text from other programs that is sent to a model. */
export function withoutHiddenCharacters(text: string): string {
  let result = ''
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (controlSymbol(code) === undefined && !isInvisible(code)) result += character
  }
  return result
}

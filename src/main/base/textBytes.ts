import { createRequire } from 'node:module'
import type * as Iconv from 'iconv-lite'
import { isUtf16, type Encoding } from '../../shared/files/encodings.ts'

export const replacementCharacter = '\uFFFD'

let loaded: typeof Iconv | undefined

/** Loaded on demand, because most folders contain only UTF-8. */
function iconv(): typeof Iconv {
  loaded ??= createRequire(import.meta.url)('iconv-lite') as typeof Iconv
  return loaded
}

/** Decodes bytes without a byte order mark. Invalid bytes become U+FFFD. */
export function decodeBytes(bytes: Buffer, encoding: Encoding): string {
  if (encoding === 'utf8' || encoding === 'utf8bom') return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  if (encoding === 'iso88591') return bytes.toString('latin1')
  if (isUtf16(encoding)) {
    const isBig = encoding.startsWith('utf16be')
    const ordered = isBig ? Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16() : bytes
    return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(ordered)
  }
  return iconv().decode(bytes, encoding, { stripBOM: false })
}

/** Encodes text without a byte order mark. Null if the encoding cannot represent a character. */
export function encodeBytes(text: string, encoding: Encoding): Buffer | null {
  if (encoding === 'utf8' || encoding === 'utf8bom') return Buffer.from(text, 'utf8')
  if (isUtf16(encoding)) {
    const bytes = Buffer.from(text, 'utf16le')
    return encoding.startsWith('utf16be') ? bytes.swap16() : bytes
  }
  if (encoding === 'iso88591') return /^[\0-\xff]*$/.test(text) ? Buffer.from(text, 'latin1') : null
  // For some encodings, the library's tables map it to bytes that have no character.
  if (text.includes(replacementCharacter) && encoding !== 'gb18030') return null
  const bytes = iconv().encode(text, encoding, { addBOM: false })
  // The library writes "?" for characters that the encoding cannot represent.
  return decodeBytes(bytes, encoding) === text ? bytes : null
}

/** Returns the first character that an encoding cannot represent, and its 1-based line. Null if there is none. */
export function missingCharacter(text: string, encoding: Encoding): { character: string; line: number } | null {
  const known = new Map<string, boolean>()
  let line = 1
  for (const character of text) {
    if (character === '\n') line += 1
    let has = known.get(character)
    if (has === undefined) {
      has = encodeBytes(character, encoding) !== null
      known.set(character, has)
    }
    if (!has) return { character, line }
  }
  return null
}

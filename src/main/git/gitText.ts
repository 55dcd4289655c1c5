import { isUtf8 } from 'node:buffer'

// Names in git are bytes. In strings, a byte that is not part of valid UTF-8 is a lone surrogate from U+DC80 to U+DCFF, as in
// Python's `surrogateescape`, so that every name can be converted back.

const escape = 0xdc00

/** Decodes bytes of git. Invalid bytes are kept as lone surrogates. */
export function decodeGitText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at)
    if (length > 0) text += bytes.toString('utf8', at, at + length)
    else text += String.fromCharCode(escape + (bytes[at] ?? 0))
    at += Math.max(length, 1)
  }
  return text
}

/** Encodes text for git. The inverse of `decodeGitText`. */
export function encodeGitText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8')
  const parts: Buffer[] = []
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    parts.push(
      code >= escape + 0x80 && code <= escape + 0xff ? Buffer.from([code - escape]) : Buffer.from(character, 'utf8'),
    )
  }
  return Buffer.concat(parts)
}

/** Returns the length of the valid UTF-8 sequence at a position; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0
  const end = at + length
  return length > 0 && end <= bytes.length && isUtf8(bytes.subarray(at, end)) ? length : 0
}

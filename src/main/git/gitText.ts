import { isUtf8 } from 'node:buffer'

// Names in git are bytes. In strings, a byte that is not part of valid UTF-8 is a lone surrogate from U+DC80 to U+DCFF,
// as with Python's `surrogateescape`, so that every name can be converted back.

const escape = 0xdc00

/** Decodes bytes from git. Keeps invalid bytes as lone surrogates. */
export function decodeGitText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  // One buffer instead of many strings: 4 MB of invalid bytes block the main thread for 20 ms.
  const units = new Uint16Array(bytes.length)
  let count = 0
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] ?? 0
    const length = sequenceLength(bytes, at, first)
    if (length <= 1) units[count++] = length === 1 ? first : escape + first
    else {
      let code = first & (0x7f >> length)
      for (let next = at + 1; next < at + length; next += 1) code = (code << 6) | ((bytes[next] ?? 0) & 0x3f)
      if (code > 0xffff) {
        units[count++] = 0xd800 + ((code - 0x10000) >> 10)
        units[count++] = 0xdc00 + (code & 0x3ff)
      } else units[count++] = code
    }
    at += Math.max(length, 1)
  }
  return Buffer.from(units.buffer, 0, count * 2).toString('utf16le')
}

/** Encodes text for git. The inverse of `decodeGitText`. */
export function encodeGitText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8')
  const bytes = Buffer.allocUnsafe(text.length * 3)
  let count = 0
  let written = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    const next = text.charCodeAt(at + 1)
    if (unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) at += 1
    else if (unit >= escape + 0x80 && unit <= escape + 0xff) {
      if (written < at) count += bytes.write(text.slice(written, at), count, 'utf8')
      bytes[count++] = unit - escape
      written = at + 1
    }
  }
  count += bytes.write(text.slice(written), count, 'utf8')
  return bytes.subarray(0, count)
}

/** Returns the length of the valid UTF-8 sequence at a position (Unicode, table 3-7); 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number, first: number): number {
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  const second = bytes[at + 1] ?? 0
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (second < lowest || second > highest) return 0
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  for (let next = at + 2; next < at + length; next += 1) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0
  return length
}

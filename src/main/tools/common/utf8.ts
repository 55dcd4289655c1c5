/** Returns the longest start of a text that takes at most `bytes` of UTF-8. Never splits a character. */
export function firstBytes(text: string, bytes: number): string {
  const part = text.slice(0, bytes)
  return Buffer.byteLength(part) <= bytes ? wholeCharacters(part) : decode(Buffer.from(part).subarray(0, bytes))
}

/** Returns the longest end of a text that takes at most `bytes` of UTF-8. Never splits a character. */
export function lastBytes(text: string, bytes: number): string {
  const part = text.slice(Math.max(0, text.length - bytes))
  const buffer = Buffer.from(part)
  return buffer.length <= bytes ? wholeCharacters(part) : decode(buffer.subarray(buffer.length - bytes))
}

/** Drops half a surrogate pair at either end of a text. */
export function wholeCharacters(text: string): string {
  const from = /^[\udc00-\udfff]/.test(text) ? 1 : 0
  const to = /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length
  return text.slice(from, to)
}

/** Decodes UTF-8, without an incomplete character at either end. */
function decode(bytes: Buffer): string {
  let from = 0
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  let to = bytes.length
  let lead = to - 1
  while (lead >= from && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead -= 1
  const first = bytes[lead] ?? 0
  const needed = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  if (lead >= from && to - lead < needed) to = lead
  return bytes.toString('utf8', from, to)
}

/**
 * Characters that people cannot see but models read: control and format characters (zero width, direction, tags) and
 * variation selectors, which can carry hidden text. Line breaks, tabs and the text and emoji selectors are kept.
 */
const invisibleCharacters = /[\p{Cc}\p{Cf}\u{fe00}-\u{fe0d}\u{e0100}-\u{e01ef}]/gu

/**
 * Removes invisible characters.
 * @returns the number of removed characters
 */
export function withoutInvisibleCharacters(text: string): { text: string; removed: number } {
  let removed = 0
  const clean = text.replaceAll('\r\n', '\n').replace(invisibleCharacters, (character) => {
    if (character === '\n' || character === '\t') return character
    removed += 1
    return ''
  })
  return { text: clean, removed }
}

/**
 * Truncates a text at the end of a line, to at most `limit` characters.
 * @returns the number of missing characters
 */
export function truncateAtLine(text: string, limit: number): { text: string; missing: number } {
  if (text.length <= limit) return { text, missing: 0 }
  const end = text.lastIndexOf('\n', limit)
  const kept = text.slice(0, end > 0 ? end : limit)
  return { text: kept, missing: text.length - kept.length }
}

/**
 * Divides room equally between texts. Longer texts get what shorter ones do not need.
 * @param lengths lengths in characters, each at most its own limit
 */
export function allocateRoom(lengths: readonly number[], room: number): number[] {
  const limits = lengths.map(() => 0)
  const shortestFirst = [...lengths.entries()].toSorted(([, a], [, b]) => a - b)
  let remaining = room
  for (const [at, [index, length]] of shortestFirst.entries()) {
    const limit = Math.min(length, Math.floor(remaining / (shortestFirst.length - at)))
    limits[index] = limit
    remaining -= limit
  }
  return limits
}

/** Formats a tagged block. Escapes its text and attributes so that they cannot close it. */
export function promptBlock(tag: string, attributes: Readonly<Record<string, string>>, text: string): string {
  const head = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${value.replaceAll(/["<>\p{Cc}]/gu, '_')}"`)
    .join('')
  // Matches any case and spacing, since models ignore both.
  const end = new RegExp(`<(\\s{0,20}/\\s{0,20}${tag})`, 'gi')
  return `<${tag}${head}>\n${text.replace(end, '<\\$1')}\n</${tag}>`
}

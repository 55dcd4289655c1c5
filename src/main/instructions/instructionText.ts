/**
 * Characters that a person does not see and a model reads: controls, format characters (zero width, direction, tags) and variation
 * selectors, which can carry a hidden text. Line ends and tabs stay; so do the two selectors that choose between text and emoji.
 */
const invisibleCharacters = /[\p{Cc}\p{Cf}\u{fe00}-\u{fe0d}\u{e0100}-\u{e01ef}]/gu

/** A text without what cannot be seen in it. @returns how many characters were removed */
export function withoutInvisibleCharacters(text: string): { text: string; removed: number } {
  let removed = 0
  const clean = text.replaceAll('\r\n', '\n').replace(invisibleCharacters, (character) => {
    if (character === '\n' || character === '\t') return character
    removed += 1
    return ''
  })
  return { text: clean, removed }
}

/** The beginning of a text up to a line's end, at most `limit` characters. @returns how many characters are missing */
export function truncateAtLine(text: string, limit: number): { text: string; missing: number } {
  if (text.length <= limit) return { text, missing: 0 }
  const end = text.lastIndexOf('\n', limit)
  const kept = text.slice(0, end > 0 ? end : limit)
  return { text: kept, missing: text.length - kept.length }
}

/**
 * How much of each text there is room for: what short ones leave of an equal share goes to the longer ones.
 * @param lengths in characters, each with its own bound applied
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

/** A block of the prompt that no text inside of it, nor a file's name, can end. */
export function promptBlock(tag: string, attributes: Readonly<Record<string, string>>, text: string): string {
  const head = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${value.replaceAll(/["<>\p{Cc}]/gu, '_')}"`)
    .join('')
  // However it is written: a model does not mind case or spaces.
  const end = new RegExp(`<(\\s{0,20}/\\s{0,20}${tag})`, 'gi')
  return `<${tag}${head}>\n${text.replace(end, '<\\$1')}\n</${tag}>`
}

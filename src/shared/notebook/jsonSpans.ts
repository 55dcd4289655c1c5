// Positions in JSON text. All functions expect valid JSON: they find where values start and end without decoding them,
// so that a picture of megabytes costs one search for a quote.

/** A range of a text. `end` is exclusive. */
export interface Span {
  start: number
  end: number
}

/** A member of an object. `start` and `end` are those of its value. */
export interface MemberSpan extends Span {
  key: string
  keyStart: number
  keyEnd: number
}

export function skipSpace(text: string, at: number): number {
  let index = at
  while (text[index] === ' ' || text[index] === '\n' || text[index] === '\t' || text[index] === '\r') index += 1
  return index
}

/** @returns the end of the string that starts at `at` */
function stringEnd(text: string, at: number): number {
  let quote = at
  for (;;) {
    quote = text.indexOf('"', quote + 1)
    if (quote < 0) return text.length
    let slash = quote - 1
    while (text[slash] === '\\') slash -= 1
    if ((quote - slash) % 2 === 1) return quote + 1
  }
}

/** @returns the end of the value that starts at `at` */
function valueEnd(text: string, at: number): number {
  const first = text[at]
  if (first === '"') return stringEnd(text, at)
  if (first !== '{' && first !== '[') {
    let index = at
    while (index < text.length && !',]}\n\r\t '.includes(text[index] ?? '')) index += 1
    return index
  }
  let depth = 0
  for (let index = at; index < text.length; index += 1) {
    const character = text[index]
    if (character === '"') index = stringEnd(text, index) - 1
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0) return index + 1
    }
  }
  return text.length
}

/** Returns the members of the object that starts at `at`. */
export function membersAt(text: string, at: number): MemberSpan[] {
  const members: MemberSpan[] = []
  let index = skipSpace(text, at + 1)
  while (text[index] === '"') {
    const keyEnd = stringEnd(text, index)
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = valueEnd(text, start)
    // Valid JSON, so the key is a string.
    members.push({ key: JSON.parse(text.slice(index, keyEnd)) as string, keyStart: index, keyEnd, start, end })
    index = skipSpace(text, end)
    if (text[index] !== ',') break
    index = skipSpace(text, index + 1)
  }
  return members
}

/** Returns the elements of the array that starts at `at`. */
export function elementsAt(text: string, at: number): Span[] {
  const elements: Span[] = []
  let index = skipSpace(text, at + 1)
  while (index < text.length && text[index] !== ']') {
    const end = valueEnd(text, index)
    elements.push({ start: index, end })
    index = skipSpace(text, end)
    if (text[index] !== ',') break
    index = skipSpace(text, index + 1)
  }
  return elements
}

/** Returns the member with a key. Of several, the last one counts, as in JSON.parse. */
export function memberOf(members: readonly MemberSpan[], key: string): MemberSpan | undefined {
  return members.findLast((member) => member.key === key)
}

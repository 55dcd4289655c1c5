/**
 * The end of the JSON value (or something close to it: single quotes, comments, Python's words) that begins with a bracket at
 * `from`: the place after the bracket that closes it. Undefined where the text ends first, in a string or with a bracket open.
 * A missing closing bracket of an inner value is forgiven, as `{"a": [1, 2}`: what matters is whether the whole came to its end.
 */
export function closingBracketEnd(text: string, from = 0): number | undefined {
  const open: string[] = []
  // A bracket that closes nothing must not search all that are open.
  const count = { '{': 0, '[': 0 }
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '"' || character === "'") {
      const end = closingQuoteEnd(text, at)
      if (end === undefined) return undefined
      at = end - 1
    } else if (character === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) {
      const end = text[at + 1] === '/' ? text.indexOf('\n', at) : text.indexOf('*/', at + 2) + 1
      if (end <= at) return undefined
      at = end
    } else if (character === '{' || character === '[') {
      open.push(character)
      count[character] += 1
    } else if (character === '}' || character === ']') {
      const opener = character === '}' ? '{' : '['
      if (count[opener] > 0) {
        let closed: string | undefined
        do {
          closed = open.pop()
          if (closed === '{' || closed === '[') count[closed] -= 1
        } while (closed !== opener)
      }
      if (open.length === 0) return at + 1
    }
  }
  return undefined
}

/** The place after the quote that closes the string at `from`. */
export function closingQuoteEnd(text: string, from: number): number | undefined {
  const quote = text[from]
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1
    else if (text[at] === quote) return at + 1
  }
  return undefined
}

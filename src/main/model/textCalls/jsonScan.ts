/**
 * Returns the position after the bracket that closes the JSON value at `from`. Also accepts single quotes, comments and
 * Python's constants. Undefined if the text ends first, inside a string or bracket.
 * A missing inner bracket, as in `{"a": [1, 2}`, is tolerated: what matters is whether the whole value ended.
 */
export function closingBracketEnd(text: string, from = 0): number | undefined {
  const open: string[] = []
  // Counts open brackets, so that a bracket that closes nothing does not search the whole stack.
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

/** Returns the position after the quote that closes the string at `from`. */
export function closingQuoteEnd(text: string, from: number): number | undefined {
  const quote = text[from]
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1
    else if (text[at] === quote) return at + 1
  }
  return undefined
}

/** Maximum number of variables. */
const maxVariables = 1000
/** Maximum lines of a value. Bounds the work for a file with many quotes that are never closed. */
const maxLines = 200

/**
 * Parses a dotenv file: `NAME=value`, comments, `export`, and quotes. Values in double quotes may have `\n` and several
 * lines. Variables in values are not replaced.
 */
export function parseEnvironmentFile(text: string): Record<string, string> {
  const variables: Record<string, string> = {}
  const lines = text.replace(/^\ufeff/, '').split(/\r\n?|\n/)
  let count = 0
  for (let index = 0; index < lines.length && count < maxVariables; index++) {
    const [, name, rest = ''] = /^(?:export\s+)?([\w.-]+)\s*=([^]*)/.exec((lines[index] ?? '').trimStart()) ?? []
    if (name === undefined) continue
    count++
    const start = rest.trimStart()
    const quote = start[0]
    if (quote !== '"' && quote !== "'" && quote !== '`') {
      variables[name] = withoutComment(start)
      continue
    }
    let value = start.slice(1)
    let end = endOf(value, quote)
    let last = index
    if (end < 0) {
      const parts = [value]
      while (end < 0 && ++last < Math.min(lines.length, index + maxLines)) {
        parts.push(lines[last] ?? '')
        end = endOf(lines[last] ?? '', quote)
      }
      if (end >= 0) {
        const closing = parts.pop() ?? ''
        value = [...parts, closing.slice(0, end)].join('\n')
        end = value.length
      }
    }
    if (end < 0) {
      // The quote is never closed, so it is part of the value.
      variables[name] = withoutComment(start)
      continue
    }
    index = last
    value = value.slice(0, end)
    variables[name] = quote === '"' ? unescaped(value) : value
  }
  return variables
}

/** Index of the closing quote; -1 if it is not in the text. Only double quotes can be escaped. */
function endOf(text: string, quote: string): number {
  for (let index = 0; index < text.length; index++) {
    if (quote === '"' && text[index] === '\\') index++
    else if (text[index] === quote) return index
  }
  return -1
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
const unescaped = (text: string): string =>
  text.replaceAll(/\\([nrt"\\$])/g, (_, character: string) => escapes[character] ?? character)

/** A comment starts with `#` after a blank. */
function withoutComment(text: string): string {
  const start = text.search(/(?:^|\s)#/)
  return (start < 0 ? text : text.slice(0, start)).trim()
}

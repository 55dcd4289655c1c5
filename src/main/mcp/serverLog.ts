import { StringDecoder } from 'node:string_decoder'
import { stripVTControlCharacters } from 'node:util'

/** What a server wrote to standard error and what was noticed about it: the last lines, for people to read. */
export interface ServerLog {
  /** A line of Tizona's own. */
  add(line: string): void
  /** Bytes of standard error. */
  write(chunk: Buffer): void
  lines(): string[]
}

const maxLines = 200
/** Characters. */
const maxLine = 500

export function createServerLog(): ServerLog {
  const decoder = new StringDecoder('utf8')
  const lines: string[] = []
  let rest = ''
  function push(coloured: string): void {
    // Cut first: half a megabyte of escapes that never end would take minutes to strip.
    const line = stripVTControlCharacters(coloured.slice(0, 4 * maxLine))
    lines.push(line.length > maxLine ? `${line.slice(0, maxLine).toWellFormed()}…` : line)
    if (lines.length > maxLines) lines.shift()
  }
  return {
    add: push,
    write(chunk) {
      const parts = `${rest}${decoder.write(chunk)}`.split(/\r?\n/)
      // A line without an end must not grow without one.
      rest = (parts.pop() ?? '').slice(0, maxLine + 1)
      for (const part of parts.slice(-maxLines)) push(part)
    },
    lines: () => (rest === '' ? [...lines] : [...lines, rest.slice(0, maxLine)]),
  }
}

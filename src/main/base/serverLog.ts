import { StringDecoder } from 'node:string_decoder'
import { stripVTControlCharacters } from 'node:util'
import { truncate } from '../../shared/text/truncate.ts'

/** The last lines of a server's standard error and Tizona's messages about it, for the user. */
export interface ServerLog {
  /** Adds a message from Tizona. */
  add(line: string): void
  /** Adds bytes from standard error. */
  write(chunk: Buffer): void
  lines(): string[]
}

const maxLines = 200
/** Maximum characters of a line. */
const maxLine = 500

/** Creates a log of the last 200 lines. */
export function createServerLog(): ServerLog {
  const decoder = new StringDecoder('utf8')
  const lines: string[] = []
  let rest = ''
  function push(coloured: string): void {
    // Truncated first, because stripping half a megabyte of unfinished escape sequences would take minutes.
    const line = stripVTControlCharacters(coloured.slice(0, 4 * maxLine))
    lines.push(truncate(line, maxLine))
    if (lines.length > maxLines) lines.shift()
  }
  return {
    add: push,
    write(chunk) {
      const parts = `${rest}${decoder.write(chunk)}`.split(/\r?\n/)
      // Bounds a line that never ends.
      rest = (parts.pop() ?? '').slice(0, maxLine + 1)
      for (const part of parts.slice(-maxLines)) push(part)
    },
    lines: () => (rest === '' ? [...lines] : [...lines, rest.slice(0, maxLine)]),
  }
}

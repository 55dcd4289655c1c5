/** Follows the text of an answer as far as it must be known to tell a call from a word about one. */
export interface Prose {
  add(text: string): void
  /** What stands before the present place on its line. */
  line(): string
  /** Whether the present place is inside a code fence, inline code, a quotation or behind a quotation mark. */
  quoted(): boolean
}

/** Only the beginning and end of a line matter. Characters. */
const lineCap = 10_000

export function createProse(): Prose {
  let line = ''
  let fence: string | undefined

  const endLine = () => {
    const mark = /^\s*(`{3,}|~{3,})(.*)$/.exec(line)
    if (mark?.[1]) {
      if (fence === undefined) fence = mark[1]
      else if (mark[1].startsWith(fence) && mark[2]?.trim() === '') fence = undefined
    }
    line = ''
  }

  return {
    add(text) {
      const lines = text.split('\n')
      for (const [position, part] of lines.entries()) {
        if (position > 0) endLine()
        if (line.length < lineCap) line += part
        else line = line.slice(0, lineCap) + part.slice(-1)
      }
    },
    line: () => line,
    quoted: () => fence !== undefined || /^\s*(```|~~~|>)/.test(line) || line.split('`').length % 2 === 0 || /["'“‘«„(]$/.test(line),
  }
}

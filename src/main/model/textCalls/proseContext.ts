/** Tracks the context of an answer's text that distinguishes a call from prose about one. */
export interface ProseContext {
  add(text: string): void
  /** Whether only whitespace precedes the current position on its line. */
  blank(): boolean
  /** Whether a blank separates the current position from text before it on its line. */
  afterBlank(): boolean
  /** Whether the current position is inside a code fence, inline code or a block quote, or follows a quotation mark. */
  quoted(): boolean
}

/** Maximum length of the start of a line that may open a fence, in characters. */
const headLength = 400

export function createProseContext(): ProseContext {
  let head = ''
  let last = ''
  let blank = true
  let ticks = 0
  let fence: string | undefined

  const endLine = () => {
    const mark = /^\s*(`{3,}|~{3,})([^\n]*)/.exec(head)
    if (mark?.[1]) {
      if (fence === undefined) fence = mark[1]
      else if (mark[1].startsWith(fence) && mark[2]?.trim() === '') fence = undefined
    }
    head = ''
    last = ''
    blank = true
    ticks = 0
  }

  return {
    add(text) {
      for (const [position, part] of text.split('\n').entries()) {
        if (position > 0) endLine()
        if (part === '') continue
        if (head.length < headLength) head += part.slice(0, headLength)
        last = part.slice(-1)
        blank &&= part.trim() === ''
        ticks += part.split('`').length - 1
      }
    },
    blank: () => blank,
    afterBlank: () => !blank && /[ \t]/.test(last),
    quoted: () => fence !== undefined || /^\s*(```|~~~|>)/.test(head) || ticks % 2 === 1 || /["'“‘«„(]$/.test(last),
  }
}

import { visibleCommand, visibleText } from '../../shared/text/visibleText.ts'

/** Names of the control characters U+0000 to U+0020, then DEL. */
const symbolNames =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US SP DEL'.split(
    ' ',
  )
const symbol = /([\u2400-\u2421]|\\u(?:[0-9a-f]{4}|\{[0-9a-f]+\}))/

/** Maximum number of marked hidden characters. Text with more shows them without marks. */
const maxMarks = 1000

interface VisibleCodeProps {
  text: string
  /** Whether the text is a command, in which blanks that do not separate words are marked too. */
  isCommand?: boolean
}

/** Renders text with hidden characters marked by name, e.g. `ESC`. */
export function VisibleCode({ text, isCommand = false }: VisibleCodeProps) {
  const visible = isCommand ? visibleCommand(text) : visibleText(text)
  if (visible === text) return text
  const parts = visible.split(symbol)
  if (parts.length > 2 * maxMarks) return visible
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <mark key={index} className="ui-symbol" data-name={symbolNames[(part.codePointAt(0) ?? 0) - 0x2400] ?? part}>
        {part}
      </mark>
    ),
  )
}

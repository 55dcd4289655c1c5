import { membersAt, skipSpace } from './jsonSpans.ts'

/** How a JSON text is written. */
export interface JsonStyle {
  /** Indentation of one level; null if the text is on one line. */
  indent: string | null
  /** Between a key and its value. */
  colon: string
  /** Between values on one line. */
  comma: string
  /** Whether characters other than ASCII are written as `\u` escapes. */
  ascii: boolean
}

/** How Jupyter writes notebooks. */
const jupyterStyle: JsonStyle = { indent: ' ', colon: ': ', comma: ', ', ascii: false }

/** Whether a text has an escape of a character other than ASCII. A backslash can be escaped itself, as in `\\\\u00e9`. */
function hasUnicodeEscape(text: string): boolean {
  for (let at = text.indexOf('\\u'); at >= 0; at = text.indexOf('\\u', at + 2)) {
    let slash = at
    while (text[slash - 1] === '\\') slash -= 1
    if ((at - slash) % 2 === 0 && Number.parseInt(text.slice(at + 2, at + 6), 16) > 0x7f) return true
  }
  return false
}

/** Detects how a text with an object is written. */
export function jsonStyleOf(text: string): JsonStyle {
  const start = skipSpace(text, 0)
  const members = membersAt(text, start)
  const [first, second] = members
  if (first === undefined) return jupyterStyle
  const before = text.slice(start + 1, first.keyStart)
  const indent = before.includes('\n') ? before.slice(before.lastIndexOf('\n') + 1) : null
  const between = second && text.slice(first.end, second.keyStart)
  return {
    indent,
    colon: text.slice(first.keyEnd, first.start),
    comma: between !== undefined && !between.includes('\n') ? between : ', ',
    // oxlint-disable-next-line no-control-regex -- All of ASCII.
    ascii: !/[^\u0000-\u007f]/.test(text) && hasUnicodeEscape(text),
  }
}

/** Writes a string with its quotes. */
export function printString(text: string, { ascii }: Pick<JsonStyle, 'ascii'>): string {
  const printed = JSON.stringify(text)
  return ascii
    ? printed.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : printed
}

/** Writes a JSON value. @param depth levels around it */
export function printJson(value: unknown, style: JsonStyle, depth: number): string {
  if (typeof value === 'string') return printString(value, style)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const isList = Array.isArray(value)
  const items = isList
    ? value.map((item) => printJson(item, style, depth + 1))
    : Object.entries(value).flatMap(([key, item]) =>
        item === undefined ? [] : [`${printString(key, style)}${style.colon}${printJson(item, style, depth + 1)}`],
      )
  const [open, close] = isList ? '[]' : '{}'
  if (items.length === 0) return `${open}${close}`
  if (style.indent === null) return `${open}${items.join(style.comma)}${close}`
  const inner = `\n${style.indent.repeat(depth + 1)}`
  return `${open}${inner}${items.join(`,${inner}`)}\n${style.indent.repeat(depth)}${close}`
}

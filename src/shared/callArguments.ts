import { visibleText } from './visibleText.ts'

/** Names of arguments that identify a call, most informative first. */
const mainArgumentNames = [
  'command',
  'program',
  'pattern',
  'query',
  'objective',
  'qualified_name',
  'symbol_id',
  'path',
  'file_path',
  'filepath',
  'filename',
  'from',
  'source',
  'source_path',
  'url',
  'job_id',
  'line',
  'content',
]

/** Derives a title from a tool name (`read_file` -> "Read file"), for tools outside the active toolset. */
export function humanName(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim()
  return words === '' ? 'Tool' : (words[0] ?? '').toUpperCase() + words.slice(1)
}

/** Parses arguments. @returns undefined while they stream, or if they are not a JSON object */
export function parseArguments(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // JSON objects have string keys.
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    // Incomplete or invalid JSON: the card shows the text.
    return undefined
  }
}

/** Formats the most informative argument of a call on one line; '' if there is none. */
export function mainArgument(values: Record<string, unknown>): string {
  for (const name of mainArgumentNames) {
    const value = values[name]
    if (typeof value !== 'string' && typeof value !== 'number') continue
    const text = truncateLine(String(value))
    if (text === '') continue
    if (name === 'program' && Array.isArray(values.args))
      return truncateLine([text, ...values.args.map(String)].join(' '))
    const to = values.to ?? values.destination ?? values.destination_path
    if (/^(?:from|source)/.test(name) && typeof to === 'string') return `${text} → ${truncateLine(to)}`
    if (/path|filename/.test(name)) return text + lineRange(values)
    return text
  }
  const names = listedNames(values)
  if (names !== '') return truncateLine(names)
  const first = Object.values(values).find((value) => typeof value === 'string')
  return typeof first === 'string' ? truncateLine(first) : ''
}

/** Joins the names in a list argument: the files of a patch, paths, or the tools of a batch. '' if there are none. */
function listedNames({ patch, paths, calls }: Record<string, unknown>): string {
  if (typeof patch === 'string')
    return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, path]) => path).join(', ')
  if (Array.isArray(paths)) return paths.map(String).join(', ')
  if (!Array.isArray(calls)) return ''
  return calls
    .map((call: unknown) => (typeof call === 'object' && call !== null && 'tool' in call ? String(call.tool) : '?'))
    .join(', ')
}

function lineRange(values: Record<string, unknown>): string {
  const { start_line: start, end_line: end } = values
  if (typeof start !== 'number') return ''
  return typeof end === 'number' ? `:${start}–${end}` : `:${start}`
}

/** Maximum length of the header, and of the text that is read for it, which may have many blanks. */
const maxLineLength = 300
const maxReadLength = 10_000

/** Joins lines and truncates the text for the card's header. The details show the full text. */
function truncateLine(text: string): string {
  // Cut first, because an argument can have megabytes.
  const start = text.slice(0, maxReadLength)
  const line = visibleText(start.trim().replaceAll(/[ \t\n]+/g, ' '))
  return line.length > maxLineLength || start !== text ? `${line.slice(0, maxLineLength)}…` : line
}

import { visibleText } from '../text/visibleText.ts'
import type { ToolResult } from './tool.ts'

/** Arguments that identify a call, most informative first. */
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
export function titleFromToolName(name: string): string {
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

/** Name of the tool that calls another one (main/tools/tizona/callTool.ts). */
export const callToolName = 'call_tool'

/** Fields in which models put the name and the arguments of the inner call. */
const innerNames = ['tool', 'tool_name', 'name'] as const
const innerArguments = ['arguments', 'args', 'parameters', 'params'] as const

/**
 * Returns the call inside the arguments of `call_tool`. Arguments may be an object, JSON text, or fields beside the name.
 * @returns undefined if they name no tool
 */
export function innerCall(values: Readonly<Record<string, unknown>>): { name: string; arguments: unknown } | undefined {
  const nameField = innerNames.find((field) => typeof values[field] === 'string' && values[field] !== '')
  if (nameField === undefined) return undefined
  const given = innerArguments.find((field) => field in values)
  const beside = Object.entries(values).filter(([field]) => field !== nameField && field !== given)
  const inner = given === undefined ? undefined : values[given]
  const rest = Object.fromEntries(beside)
  const isFields = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
  return {
    name: String(values[nameField]),
    arguments: inner === undefined || inner === null ? rest : isFields ? { ...rest, ...inner } : inner,
  }
}

/** Returns the name and arguments of the tool that a call actually runs. Without arguments while they stream. */
export function calledTool({
  name,
  arguments: written,
  result,
}: {
  name: string
  arguments: string
  result?: ToolResult
}): {
  name: string
  values: Record<string, unknown> | undefined
} {
  if (result?.ranTool !== undefined) return { name: result.ranTool, values: result.arguments }
  const values = parseArguments(written)
  const inner = name === callToolName && values ? innerCall(values) : undefined
  if (!inner) return { name, values: result?.arguments ?? values }
  const { arguments: given } = inner
  const innerValues = typeof given === 'string' ? parseArguments(given) : parseArguments(JSON.stringify(given))
  return { name: inner.name, values: result?.arguments ?? innerValues }
}

/** Formats a call's most informative argument on one line; '' if there is none. */
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

/** Joins the names in a list argument: paths, the files of a patch, or the tools of a batch. '' if there are none. */
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

/** Maximum length of the header, and of the text it is taken from, which may contain many blanks. */
const maxLineLength = 300
const maxReadLength = 10_000

/** Joins lines and truncates the text for the card's header. The details show the full text. */
function truncateLine(text: string): string {
  // Cut first, because an argument can be megabytes long.
  const start = text.slice(0, maxReadLength)
  const line = visibleText(start.trim().replaceAll(/[ \t\n]+/g, ' '))
  return line.length > maxLineLength || start !== text ? `${line.slice(0, maxLineLength)}…` : line
}

import type { ToolItem } from '../../../shared/conversation.ts'
import type { ToolInfo } from '../../../shared/tool.ts'

/** What a tool card shows in its one line. */
export interface ToolSummary {
  icon: string
  title: string
  /** The argument that says most: a command, a path, a pattern. */
  argument: string
}

const icons: readonly (readonly [RegExp, string])[] = [
  [/command|terminal|shell|execute|exec\b/, 'terminal'],
  [/delete|remove/, 'trash'],
  [/patch|edit|replace|insert/, 'edit'],
  [/write|create_file/, 'new-file'],
  [/create_dir|mkdir/, 'new-folder'],
  [/move|rename/, 'arrow-right'],
  [/copy/, 'copy'],
  [/grep|search|\brg\b|symbol|reference/, 'search'],
  [/find|glob/, 'search-fuzzy'],
  [/list|structure|tree|overview/, 'list-tree'],
  [/selection|cursor|goto|editor|open/, 'go-to-file'],
  [/read|info|file/, 'file-code'],
  [/web|fetch|http|url/, 'globe'],
  [/git/, 'git-commit'],
]

/** Argument names that say most, the best first. */
const telling = [
  'command',
  'program',
  'pattern',
  'query',
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

export function toolIcon(name: string): string {
  return icons.find(([pattern]) => pattern.test(name))?.[1] ?? 'tools'
}

/** `read_file` -> "Read file", for a tool that is not of the active toolset. */
export function humanName(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim()
  return words === '' ? 'Tool' : (words[0] ?? '').toUpperCase() + words.slice(1)
}

/** The arguments as an object; undefined while they stream or when they are no JSON object. */
export function parseArguments(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // JSON objects have string keys.
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    // Still arriving, or the model wrote no JSON: the card shows the text itself.
    return undefined
  }
}

export function mainArgument(values: Record<string, unknown>): string {
  for (const name of telling) {
    const value = values[name]
    if (typeof value !== 'string' && typeof value !== 'number') continue
    const text = oneLine(String(value))
    if (text === '') continue
    if (name === 'program' && Array.isArray(values.args)) return oneLine([text, ...values.args.map(String)].join(' '))
    const to = values.to ?? values.destination ?? values.destination_path
    if (/^(?:from|source)/.test(name) && typeof to === 'string') return `${text} → ${oneLine(to)}`
    if (/path|filename/.test(name)) return text + lineRange(values)
    return text
  }
  const first = Object.values(values).find((value) => typeof value === 'string')
  return typeof first === 'string' ? oneLine(first) : ''
}

function lineRange(values: Record<string, unknown>): string {
  const { start_line: start, end_line: end } = values
  if (typeof start !== 'number') return ''
  return typeof end === 'number' ? `:${start}–${end}` : `:${start}`
}

/** Long arguments are cut here for the one line only; the card's body shows all. */
function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}

export function summarise(item: Pick<ToolItem, 'name' | 'arguments' | 'result'>, info: ToolInfo | undefined): ToolSummary {
  const values = item.result?.arguments ?? parseArguments(item.arguments)
  return {
    icon: toolIcon(info?.name ?? item.name),
    title: info?.title ?? humanName(item.name),
    argument: values ? mainArgument(values) : '',
  }
}

/** "180 ms", "2.4 s", "1 min 05 s". */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  return `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`
}

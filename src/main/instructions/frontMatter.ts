/** Front matter fields and body of a Markdown file. */
export interface FrontMatter {
  /** Field values by lower-case name: the items of a list, or a single value. */
  fields: ReadonlyMap<string, readonly string[]>
  body: string
}

const none: ReadonlyMap<string, readonly string[]> = new Map()

/**
 * Parses front matter: `name: value`, and lists in brackets, on lines or separated by commas. Not YAML, since Cursor's
 * files are not (`globs: *.ts, *.tsx` would be an alias). An unclosed block is part of the text.
 */
export function parseFrontMatter(text: string): FrontMatter {
  const lines = text.split('\n')
  if (lines[0]?.trim() !== '---') return { fields: none, body: text }
  const end = lines.findIndex((line, at) => at > 0 && line.trim() === '---')
  if (end < 0) return { fields: none, body: text }

  const fields = new Map<string, string[]>()
  let last: string[] | undefined
  for (const line of lines.slice(1, end)) {
    const trimmed = line.trimStart()
    const item = /^-\s/.test(trimmed) ? trimmed.slice(1).trimStart() : undefined
    const field = /^([A-Za-z][\w-]*)\s*:(.*)$/.exec(line)
    if (field) {
      last = values(field[2] ?? '')
      fields.set((field[1] ?? '').toLowerCase(), last)
    } else if (item !== undefined) last?.push(unquoted(item))
    // An indented continuation line (after `>` or `|` in YAML).
    else if (last && /^\s+\S/.test(line)) last.push(continued(last.pop(), trimmed.trimEnd()))
  }
  return { fields, body: lines.slice(end + 1).join('\n') }
}

/** Adds a line with `+`, which copies nothing. Joining the parts of each line would take quadratic time. */
function continued(value: string | undefined, line: string): string {
  return value === undefined || value === '' ? line : value + ' ' + line
}

function values(text: string): string[] {
  const value = text.trim()
  if (value === '' || /^[>|][+-]?$/.test(value)) return []
  const list = /^\[(.*)\]$/.exec(value)?.[1]
  return list === undefined ? [unquoted(value)] : splitList(list)
}

/** Splits a comma-separated list; commas in braces belong to a glob. */
export function splitList(text: string): string[] {
  const items: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at <= text.length; at += 1) {
    const character = text[at]
    if (character === '{') depth += 1
    else if (character === '}') depth = Math.max(0, depth - 1)
    else if (character === undefined || (character === ',' && depth === 0)) {
      items.push(unquoted(text.slice(start, at)))
      start = at + 1
    }
  }
  return items.filter((item) => item !== '')
}

function unquoted(text: string): string {
  const value = text.trim()
  return /^(["']).*\1$/.test(value) && value.length > 1 ? value.slice(1, -1) : value
}

/** Returns the value of a field; '' if it is missing. */
export function fieldText({ fields }: FrontMatter, name: string): string {
  return (fields.get(name.toLowerCase()) ?? []).join(', ').trim()
}

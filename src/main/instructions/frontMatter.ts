/** The fields at the head of a Markdown file, and the text below them. */
export interface FrontMatter {
  /** By name, lower case. A list has its items in order; what is no list has one. */
  fields: ReadonlyMap<string, readonly string[]>
  body: string
}

const none: ReadonlyMap<string, readonly string[]> = new Map()

/**
 * Reads front matter: `name: value`, lists in brackets, in lines or with commas. Not a YAML parser, because what Cursor writes is no
 * YAML (`globs: *.ts, *.tsx` would be an alias), and nobody needs more of it. A head that is not closed is text.
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
    // A sentence that goes on in the next line, indented (`>` and `|` of YAML begin one).
    else if (last && /^\s+\S/.test(line)) last.push([last.pop(), line.trim()].filter(Boolean).join(' '))
  }
  return { fields, body: lines.slice(end + 1).join('\n') }
}

function values(text: string): string[] {
  const value = text.trim()
  if (value === '' || /^[>|][+-]?$/.test(value)) return []
  const list = /^\[(.*)\]$/.exec(value)?.[1]
  return list === undefined ? [unquoted(value)] : splitList(list)
}

/** The items of a list with commas between them; one inside of braces belongs to a glob. */
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

/** A field's text; '' where it is missing. */
export function fieldText({ fields }: FrontMatter, name: string): string {
  return (fields.get(name.toLowerCase()) ?? []).join(', ').trim()
}

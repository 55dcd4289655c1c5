import { CsvError, parse } from 'csv-parse/sync'
import { UnreadableError, type Extracted } from './documentJob.ts'

/** Converts comma-separated values to a Markdown table with the first row as header. */
export function extractCsv(content: Uint8Array, delimiters: string[]): Extracted {
  const text = new TextDecoder().decode(content)
  const firstLine = text.slice(0, text.search(/\r?\n|$/))
  const delimiter = delimiters.toSorted((a, b) => firstLine.split(b).length - firstLine.split(a).length)[0]
  try {
    const rows = parse(text, { delimiter, bom: true, relax_column_count: true, skip_empty_lines: true })
    return { kind: 'text', text: markdownTable(rows) }
  } catch (error) {
    if (error instanceof CsvError) throw new UnreadableError('broken', error.message, { cause: error })
    throw error
  }
}

/** Formats rows as a Markdown table with the first row as header; pads shorter rows. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0)
  if (width === 0) return ''
  const lines = rows.map(
    (row) => `| ${Array.from({ length: width }, (_, column) => cell(row[column] ?? '')).join(' | ')} |`,
  )
  return lines.toSpliced(1, 0, `|${' --- |'.repeat(width)}`).join('\n')
}

function cell(text: string): string {
  return text.trim().replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
}

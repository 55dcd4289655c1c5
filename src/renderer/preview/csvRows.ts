import { CsvError, parse } from 'csv-parse/browser/esm/sync'

export interface CsvTable {
  rows: string[][]
  /** Number of columns in the longest row. */
  columns: number
  /** Whether rows or columns were omitted. */
  truncated: boolean
  /** Why the text is not a valid table, with the line. */
  problem: string | null
}

export const maxRows = 50_000
export const maxColumns = 200
/** Maximum length of parsed text, in UTF-16 units. */
const maxText = 32 * 1024 * 1024
const delimiters = [',', ';', '\t', '|']

/** Pure: parses comma-, semicolon-, tab- or bar-separated values. Keeps the rows before an error. */
export function csvTable(text: string): CsvTable {
  const read = text.slice(0, maxText)
  const firstLine = read.slice(0, read.search(/\r?\n|$/))
  const delimiter = delimiters.toSorted((a, b) => firstLine.split(b).length - firstLine.split(a).length)[0]
  const rows: string[][] = []
  let columns = 0
  let truncated = read.length < text.length
  let problem: string | null = null
  try {
    parse(read, {
      delimiter,
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      to: maxRows + 1,
      on_record: (record: string[]) => {
        if (rows.length === maxRows) truncated = true
        else {
          if (record.length > maxColumns) truncated = true
          const row = record.slice(0, maxColumns)
          columns = Math.max(columns, row.length)
          rows.push(row)
        }
        return null
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    problem = error.message
  }
  return { rows, columns, truncated, problem }
}

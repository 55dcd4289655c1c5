import readXlsxFile from 'read-excel-file/node'
import { refuseCompoundFile, cleanLibraryMessage } from './contentKind.ts'
import { markdownTable } from './csv.ts'
import { bufferOf, UnreadableError, type Extracted } from './documentJob.ts'

/** Converts each sheet of a workbook to a Markdown table with the first row as header. */
export async function extractXlsx(content: Uint8Array<ArrayBuffer>): Promise<Extracted> {
  const buffer = bufferOf(content)
  refuseCompoundFile(buffer, 'XLS')
  const sheets = await readSheets(buffer)
  return {
    kind: 'text',
    text: sheets
      .map(({ sheet, data }) => `## ${sheet}\n\n${markdownTable(data.map((row) => row.map(cellText))) || '(empty)'}`)
      .join('\n\n'),
  }
}

async function readSheets(buffer: Buffer) {
  try {
    return await readXlsxFile(buffer)
  } catch (error) {
    // The library and its zip and XML parsers throw plain `Error` objects, whose messages explain the problem.
    if (error instanceof Error && !(error instanceof RangeError))
      throw new UnreadableError('broken', cleanLibraryMessage(error.message), { cause: error })
    throw error
  }
}

function cellText(value: unknown): string {
  if (value === null) return ''
  // Spreadsheets have no time zone; a date without a time is at midnight.
  if (value instanceof Date)
    return value
      .toISOString()
      .replace(/T00:00:00\.000Z$|\.000Z$/, '')
      .replace('T', ' ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

import { z } from 'zod'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { readRange } from '../common/readRange.ts'
import { checkFirstLine } from '../common/textLines.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { filePath } from './filePathParameter.ts'
import { unsavedNotice } from '../common/unsavedNotices.ts'

/** Limits from the document of Read; the length of a line is in UTF-16 units. */
const defaultLines = 2_000
const maxLineLength = 2_000
/** Maximum size in bytes, below the toolset's limit, so that a long file ends at a known line. */
const maxBytes = 100_000

export const read = defineTool({
  name: 'Read',
  title: 'Read file',
  description:
    'Reads a text file with numbered lines (number, tab, text) as the user sees it, including unsaved changes in an open tab. Lines over 2,000 characters are truncated.',
  risk: 'read',
  schema: () =>
    z.object({
      file_path: filePath('read'),
      offset: z.number().int().min(1).optional().describe('First line, 1-based. Default: 1.'),
      limit: z.number().int().min(1).default(defaultLines).describe('Number of lines.'),
    }),
  examples: [{ file_path: 'src/main.rs', offset: 5, limit: 4 }],
  reads: (args) => [args.file_path],
  async run({ file_path: given, offset = 1, limit }, context) {
    const { path, lines, totalLines, unsaved } = await readRange(given, { first: offset, count: limit }, context)
    checkFirstLine(path, offset, totalLines, 'an offset')
    const shown: string[] = []
    let room = maxBytes
    for (const [index, line] of lines.entries()) {
      const numbered = `${String(offset + index).padStart(6)}\t${truncateLine(line)}`
      room -= Buffer.byteLength(numbered) + 1
      if (room < 0) break
      shown.push(numbered)
    }
    const last = offset - 1 + shown.length
    const rest = totalLines - last
    const more =
      rest > 0
        ? `\n[… ${formatNumber(rest)} more of ${plural(totalLines, 'line')}. Read on with offset ${last + 1}. …]`
        : ''
    const body = totalLines === 0 ? '(the file is empty)' : shown.join('\n')
    return {
      text: (unsaved ? unsavedNotice : '') + body + more,
      view: { kind: 'file', path, startLine: offset, endLine: last, totalLines, unsaved },
    }
  },
})

function truncateLine(line: string): string {
  return line.length <= maxLineLength
    ? line
    : `${line.slice(0, maxLineLength).toWellFormed()} [… ${plural(line.length - maxLineLength, 'more character')} …]`
}

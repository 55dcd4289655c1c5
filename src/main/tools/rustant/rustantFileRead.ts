import { z } from 'zod'
import { missingLinesNotice, readRange } from '../common/readRange.ts'
import { checkFirstLine, checkLineOrder } from '../common/textLines.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { unsavedNotice } from '../common/unsavedNotices.ts'

export const fileRead = defineTool({
  name: 'file_read',
  title: 'Read file',
  description:
    'Reads a text file or some of its lines as the user sees it, including unsaved changes in an open tab. For PDF, DOCX etc. use document_read.',
  risk: 'read',
  schema: () =>
    z.object({
      path: z.string().describe('File to read, relative to the workspace.'),
      start_line: z.number().int().min(1).optional().describe('First line, 1-based. Default: 1.'),
      end_line: z.number().int().min(1).optional().describe('Last line, inclusive. Default: the last.'),
    }),
  examples: [{ path: 'src/main.rs', start_line: 5, end_line: 8 }],
  reads: ({ path }) => [path],
  async run({ path: given, start_line: start = 1, end_line: end }, context) {
    checkLineOrder(start, end)
    const range = { first: start, count: end === undefined ? Infinity : end - start + 1 }
    const found = await readRange(given, range, context)
    const { path, text, lines, totalLines, unsaved } = found
    checkFirstLine(path, start, totalLines)
    const last = start + lines.length - 1
    const more = missingLinesNotice(found, range, (line) => `Read on with start_line ${line}`)
    const whole = start === 1 && last === totalLines && text !== null
    return {
      text: (unsaved ? unsavedNotice : '') + (whole ? text : lines.join('\n') + more),
      view: { kind: 'file', path, startLine: start, endLine: last, totalLines, unsaved },
    }
  },
})

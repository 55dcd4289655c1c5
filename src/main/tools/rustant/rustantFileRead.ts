import { z } from 'zod'
import { checkFirstLine, checkLineOrder, textLines } from '../common/textLines.ts'
import { defineTool } from '../toolDefinition.ts'
import { unsavedNotice } from '../common/unsavedChanges.ts'

export const fileRead = defineTool({
  name: 'file_read',
  title: 'Read file',
  description:
    'Reads a text file or some of its lines as the user sees it, including unsaved changes in an open tab. For PDF, DOCX etc. use document_read.',
  risk: 'read',
  schema: z.object({
    path: z.string().describe('File to read, relative to the workspace.'),
    start_line: z.number().int().min(1).optional().describe('First line, 1-based. Default: 1.'),
    end_line: z.number().int().min(1).optional().describe('Last line, inclusive. Default: the last.'),
  }),
  examples: [{ path: 'src/main.rs', start_line: 5, end_line: 8 }],
  reads: ({ path }) => [path],
  async run({ path: given, start_line: start = 1, end_line: end }, context) {
    checkLineOrder(start, end)
    const { path, text, unsaved } = await context.documents.read(given, context.signal)
    const lines = textLines(text)
    checkFirstLine(path, start, lines.length)
    const last = Math.min(lines.length, end ?? lines.length)
    const whole = start === 1 && last === lines.length
    return {
      text: (unsaved ? unsavedNotice : '') + (whole ? text : lines.slice(start - 1, last).join('\n')),
      view: { kind: 'file', path, startLine: start, endLine: last, totalLines: lines.length, unsaved },
    }
  },
})

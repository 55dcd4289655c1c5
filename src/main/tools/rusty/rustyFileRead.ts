import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import { missingLinesNotice, readRange } from '../common/readRange.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { unsavedNotice } from '../common/unsavedNotices.ts'

export const fileRead = defineTool({
  name: 'file_read',
  title: 'Read file',
  description: 'Reads a text file or some of its lines as the user sees it, including unsaved changes in an open tab.',
  risk: 'read',
  schema: () =>
    z.object({
      path: z.string().describe('File to read, relative to the workspace.'),
      offset: z.number().int().min(0).optional().describe('First line, 0-based: 10 starts at line 11. Default: 0.'),
      limit: z.number().int().min(1).optional().describe('Number of lines. Default: all remaining.'),
    }),
  examples: [{ path: 'src/main.rs', offset: 10, limit: 20 }],
  reads: ({ path }) => [path],
  async run({ path: given, offset = 0, limit }, context) {
    const range = { first: offset + 1, count: limit ?? Infinity }
    const found = await readRange(given, range, context)
    const { path, text, lines, totalLines, unsaved } = found
    if (offset > 0 && offset >= totalLines) {
      throw new ToolError(
        'out_of_range',
        `"${path}" has ${plural(totalLines, 'line')}, so offset ${offset} is out of range.`,
        `Use an offset from 0 to ${Math.max(totalLines - 1, 0)}.`,
      )
    }
    const end = offset + lines.length
    const more = missingLinesNotice(found, range, (line) => `Read on with offset ${line - 1}`)
    const whole = offset === 0 && end === totalLines && text !== null
    return {
      text: (unsaved ? unsavedNotice : '') + (whole ? text : lines.join('\n') + more),
      view: { kind: 'file', path, startLine: offset + 1, endLine: end, totalLines, unsaved },
    }
  },
})

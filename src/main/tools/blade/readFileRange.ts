import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { missingLinesNotice, readRange } from '../common/readRange.ts'
import { checkFirstLine, checkLineOrder } from '../common/textLines.ts'
import { pathAliases } from './symbolParameters.ts'
import { unsavedNotice } from '../common/unsavedNotices.ts'

export const readFileRange = defineTool({
  name: 'read_file_range',
  title: 'Read lines',
  description:
    'Reads some lines of a text file, each with its number ("12: text"). The numbers are not part of the file.',
  risk: 'read',
  schema: () =>
    z.object({
      path: z.string().describe('File to read, relative to the workspace.'),
      start_line: z.number().int().min(1).default(1).describe('First line, 1-based.'),
      end_line: z.number().int().min(1).optional().describe('Last line, inclusive. Default: end of file.'),
      context_lines: z.number().int().min(0).default(0).describe('Extra lines to show before and after.'),
    }),
  parameterAliases: pathAliases,
  examples: [{ path: 'src/lib.rs', start_line: 3, end_line: 7, context_lines: 2 }],
  reads: ({ path }) => [path],
  async run(args, context) {
    const { start_line: start, end_line: end, context_lines: around } = args
    checkLineOrder(start, end)
    const first = Math.max(1, start - around)
    const range = { first, count: end === undefined ? Infinity : end + around - first + 1 }
    const found = await readRange(args.path, range, context)
    const { path, lines, totalLines, unsaved } = found
    checkFirstLine(path, start, totalLines)
    const numbered = lines.map((line, index) => `${first + index}: ${line}`)
    const more = missingLinesNotice(found, range, (line) => `Read on with start_line ${line}`)
    const last = first + lines.length - 1
    return {
      text: (unsaved ? unsavedNotice : '') + numbered.join('\n') + more,
      view: { kind: 'file', path, startLine: first, endLine: last, totalLines, unsaved },
    }
  },
})

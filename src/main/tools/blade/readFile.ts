import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { textLines } from '../common/textLines.ts'
import { pathAliases } from './symbolParameters.ts'
import { unsavedNotice } from '../common/unsavedNotices.ts'

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read file',
  description:
    'Reads a whole text file as the user sees it, including unsaved changes in an open tab. For a part of a long file use read_file_range.',
  risk: 'read',
  schema: () => z.object({ path: z.string().describe('File to read, relative to the workspace.') }),
  parameterAliases: pathAliases,
  examples: [{ path: 'src/main.rs' }],
  reads: ({ path }) => [path],
  async run(args, context) {
    const document = await context.documents.read(args.path, context.signal)
    const { path, text, unsaved } = document
    const totalLines = textLines(text).length
    return {
      text: unsaved ? unsavedNotice + text : text,
      view: { kind: 'file', path, startLine: 1, endLine: totalLines, totalLines, unsaved },
    }
  },
})

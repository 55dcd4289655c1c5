import { z } from 'zod'
import { applyExactEdit, previewExactEdit } from '../common/exactEdit.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { filePath } from './filePathParameter.ts'

export const edit = defineTool({
  name: 'Edit',
  title: 'Edit file',
  description: 'Replaces an exact text in a file. It must occur once, unless replace_all is true.',
  risk: 'write',
  schema: () =>
    z.object({
      file_path: filePath('edit'),
      old_string: z.string().describe('Exact text to find, including whitespace, without line numbers.'),
      new_string: z.string().describe('Replacement text; empty to delete.'),
      replace_all: z.boolean().default(false).describe('Replace every occurrence.'),
    }),
  writes: (args) => [args.file_path],
  examples: [{ file_path: 'src/lib.rs', old_string: 'retries()', new_string: 'attempts()', replace_all: true }],
  preview: ({ file_path: path, ...rest }, context) => previewExactEdit({ path, ...rest }, context),
  run: ({ file_path: path, ...rest }, context) => applyExactEdit({ path, ...rest }, context),
})

import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { applyExactEdit, previewExactEdit } from '../common/exactEdit.ts'

export const fileEdit = defineTool({
  name: 'file_edit',
  title: 'Edit file',
  description:
    'Replaces a text that occurs exactly once in a file. Fails if it is missing or occurs several times. For several changes at once use apply_patch.',
  risk: 'write',
  schema: () =>
    z.object({
      path: z.string().describe('File to edit, relative to the workspace.'),
      old_string: z
        .string()
        .describe('Exact text to find, including whitespace, with enough surrounding lines to be unique.'),
      new_string: z.string().describe('Replacement text; empty to delete.'),
    }),
  writes: (args) => [args.path],
  examples: [
    {
      path: 'src/main.rs',
      old_string: 'fn main() {\n    println!("Hello");\n}',
      new_string: 'fn main() {\n    println!("Hello, world!");\n}',
    },
  ],
  preview: previewExactEdit,
  run: applyExactEdit,
})

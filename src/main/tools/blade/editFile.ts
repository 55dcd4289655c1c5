import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { pathAliases } from './symbolParameters.ts'
import { editText, previewEdit } from '../common/textEdits.ts'

const names = {
  oldText: 'old_content',
  newText: 'new_content',
  alternative: 'use apply_patch with the start_line and end_line of one match',
}

export const editFile = defineTool({
  name: 'edit_file',
  title: 'Edit file',
  description:
    'Replaces one piece of text in a file. The text must occur once; whitespace may differ. ' +
    'For several changes at once use apply_patch.',
  risk: 'write',
  schema: () =>
    z.object({
      path: z.string().describe('File to edit, relative to the workspace.'),
      old_content: z
        .string()
        .describe('Text to find, copied from the file, with enough surrounding lines to be unique.'),
      new_content: z.string().describe('Replacement text; empty to delete.'),
    }),
  parameterAliases: { ...pathAliases, old: 'old_content', from: 'old_content', new: 'new_content', to: 'new_content' },
  writes: (args) => [args.path],
  examples: [{ path: 'src/main.rs', old_content: 'fn greet()', new_content: 'fn welcome()' }],
  preview: async (args, context) =>
    previewEdit(args.path, [{ oldText: args.old_content, newText: args.new_content }], names, context),
  run: async (args, context) =>
    editText(args.path, [{ oldText: args.old_content, newText: args.new_content }], names, context),
})

import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { describeEditorChange } from './editorChange.ts'

export const insertAtCursor = defineTool({
  name: 'insert_at_cursor',
  title: 'Insert at cursor',
  description: "Inserts text at the cursor of the user's editor, as one undo step. Nothing is replaced.",
  risk: 'write',
  schema: z.object({ content: z.string().min(1).describe('The text to insert.') }),
  examples: [{ content: '// TODO: implement this\n' }],
  async run(args, context) {
    const change = await context.editor.ask('editor.insertAtCursor', { content: args.content }, context.signal)
    return describeEditorChange('Inserted the text', change, args.content)
  },
})

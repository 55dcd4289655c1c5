import { z } from 'zod'
import { noActiveEditor, type EditorLocation } from '../../../shared/editor/editorRequests.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'
import { describeEditorChange, previewEditorChange } from '../common/editorChange.ts'

/** @throws ToolError without a window or a cursor */
async function cursorOf({ editor, signal }: Pick<ToolContext, 'editor' | 'signal'>): Promise<EditorLocation> {
  const { active_file: path, cursor_line: line, cursor_column: column } = await editor.ask('editor.state', {}, signal)
  if (path === null || line === null || column === null) throw noActiveEditor()
  return { path, line, column }
}

export const insertAtCursor = defineTool({
  name: 'insert_at_cursor',
  title: 'Insert at cursor',
  description: "Inserts text at the cursor of the user's editor, as one undo step, without replacing anything.",
  risk: 'write',
  schema: () => z.object({ content: z.string().min(1).describe('The text to insert.') }),
  examples: [{ content: '// TODO: implement this\n' }],
  activeFile: { use: 'writes', find: async (context) => (await cursorOf(context)).path },
  async preview(args, context) {
    const { path, line, column } = await cursorOf(context)
    return previewEditorChange(
      { path, startLine: line, startColumn: column, endLine: line, endColumn: column },
      args.content,
      context,
    )
  },
  async run(args, context) {
    const change = await context.editor.ask('editor.insertAtCursor', { content: args.content }, context.signal)
    return describeEditorChange('Inserted the text', change, args.content, context)
  },
})

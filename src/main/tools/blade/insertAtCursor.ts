import { z } from 'zod'
import { noActiveEditor, type EditorLocation } from '../../../shared/editorRequests.ts'
import { defineTool, type ToolContext } from '../toolDefinition.ts'
import { describeEditorChange, previewEditorChange } from '../common/editorChange.ts'

/** The previewed position, by call. A cursor that moves after the preview does not move the insertion. */
const previewedLocations = new WeakMap<ToolContext, EditorLocation>()

export const insertAtCursor = defineTool({
  name: 'insert_at_cursor',
  title: 'Insert at cursor',
  description: "Inserts text at the cursor of the user's editor, as one undo step, without replacing anything.",
  risk: 'write',
  schema: z.object({ content: z.string().min(1).describe('The text to insert.') }),
  examples: [{ content: '// TODO: implement this\n' }],
  async preview(args, context) {
    const {
      active_file: path,
      cursor_line: line,
      cursor_column: column,
    } = await context.editor.ask('editor.state', {}, context.signal)
    if (path === null || line === null || column === null) throw noActiveEditor()
    previewedLocations.set(context, { path, line, column })
    return previewEditorChange(
      { path, startLine: line, startColumn: column, endLine: line, endColumn: column },
      args.content,
      context,
    )
  },
  async run(args, context) {
    const change = await context.editor.ask(
      'editor.insertAtCursor',
      { content: args.content, expected: previewedLocations.get(context) },
      context.signal,
    )
    return describeEditorChange('Inserted the text', change, args.content, context)
  },
})

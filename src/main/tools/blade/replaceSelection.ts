import { z } from 'zod'
import { noSelection } from '../../../shared/editor/editorRequests.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { describeEditorChange, previewEditorChange, selectedFile } from '../common/editorChange.ts'

export const replaceSelection = defineTool({
  name: 'replace_selection',
  title: 'Replace selection',
  description: "Replaces the text selected in the user's editor, as one undo step. Fails if nothing is selected.",
  risk: 'write',
  schema: () => z.object({ content: z.string().describe('Replacement text.') }),
  activeFile: { use: 'writes', find: selectedFile },
  examples: [{ content: 'new replacement text' }],
  async preview(args, context) {
    const selection = await context.editor.ask('editor.selection', {}, context.signal)
    if (selection.text === '') throw noSelection(selection.path)
    return previewEditorChange(selection, args.content, context)
  },
  async run(args, context) {
    const change = await context.editor.ask('editor.replaceSelection', { content: args.content }, context.signal)
    return describeEditorChange('Replaced the selection', change, args.content, context)
  },
})

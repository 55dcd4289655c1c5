import { z } from 'zod'
import { noSelection, type EditorSelection } from '../../../shared/editorRequests.ts'
import { defineTool, type ToolContext } from '../toolDefinition.ts'
import { describeEditorChange, previewEditorChange } from '../common/editorChange.ts'

/** The previewed selection, by call. A selection made after the preview is not replaced. */
const previewedSelections = new WeakMap<ToolContext, EditorSelection>()

export const replaceSelection = defineTool({
  name: 'replace_selection',
  title: 'Replace selection',
  description: "Replaces the text selected in the user's editor, as one undo step. Fails if nothing is selected.",
  risk: 'write',
  schema: z.object({ content: z.string().describe('Replacement text.') }),
  examples: [{ content: 'new replacement text' }],
  async preview(args, context) {
    const selection = await context.editor.ask('editor.selection', {}, context.signal)
    if (selection.text === '') throw noSelection(selection.path)
    previewedSelections.set(context, selection)
    return previewEditorChange(selection, args.content, context)
  },
  async run(args, context) {
    const change = await context.editor.ask(
      'editor.replaceSelection',
      { content: args.content, expected: previewedSelections.get(context) },
      context.signal,
    )
    return describeEditorChange('Replaced the selection', change, args.content, context)
  },
})

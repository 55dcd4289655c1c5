import { z } from 'zod'
import { selectedFile } from '../common/editorChange.ts'
import { defineTool } from '../common/toolDefinition.ts'

export const getSelection = defineTool({
  name: 'get_selection',
  title: 'Selection',
  description: 'Returns the exact text the user has selected in the editor.',
  risk: 'read',
  schema: () => z.object({}),
  activeFile: { use: 'reads', find: selectedFile },
  examples: [{}],
  async run(_args, context) {
    const selection = await context.editor.ask('editor.selection', {}, context.signal)
    const view = {
      kind: 'editor',
      action: 'selection',
      path: selection.path,
      line: selection.startLine,
      text: selection.text,
    } as const
    if (selection.text === '') {
      return {
        text: `Nothing is selected. The cursor is in ${selection.path} at line ${selection.startLine}, column ${selection.startColumn}.`,
        view,
      }
    }
    return { text: selection.text, view }
  },
})

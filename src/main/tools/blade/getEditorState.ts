import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'

export const getEditorState = defineTool({
  name: 'get_editor_state',
  title: 'Editor state',
  description: 'Returns what the user has open: the active file, open files, cursor and selection range (1-based).',
  risk: 'read',
  schema: () => z.object({}),
  examples: [{}],
  async run(_args, context) {
    const state = await context.editor.ask('editor.state', {}, context.signal)
    return {
      text: JSON.stringify(state, null, 2),
      format: 'json',
      view: { kind: 'editor', action: 'state', path: state.active_file ?? undefined },
    }
  },
})

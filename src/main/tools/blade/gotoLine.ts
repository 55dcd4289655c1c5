import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'

export const gotoLine = defineTool({
  name: 'goto_line',
  title: 'Go to line',
  description:
    'Moves the cursor in the active file. A line beyond the end becomes the last line; returns the actual position.',
  risk: 'read',
  effect: 'editor',
  schema: () =>
    z.object({
      line: z.number().int().min(1).describe('Line, 1-based.'),
      column: z.number().int().min(1).optional().describe('Column, 1-based.'),
    }),
  examples: [{ line: 6, column: 4 }],
  async run(args, context) {
    const at = await context.editor.ask('editor.goto', args, context.signal)
    return {
      text: `The cursor is in ${at.path} at line ${at.line}, column ${at.column}.`,
      view: { kind: 'editor', action: 'goto', path: at.path, line: at.line },
    }
  },
})

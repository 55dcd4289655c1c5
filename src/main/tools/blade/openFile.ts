import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { pathAliases } from './symbolParameters.ts'

export const openFile = defineTool({
  name: 'open_file',
  title: 'Open file',
  description: "Opens a file in the user's editor, optionally at a line. Returns once the tab is visible.",
  risk: 'read',
  effect: 'editor',
  schema: () =>
    z.object({
      path: z.string().describe('File to open, relative to the workspace.'),
      line: z.number().int().min(1).optional().describe('Line to jump to, 1-based.'),
    }),
  parameterAliases: pathAliases,
  examples: [{ path: 'src/main.rs', line: 6 }],
  async run(args, context) {
    const file = await context.workspace.resolve(args.path)
    if (file.type === 'directory') {
      throw new ToolError(
        'is_directory',
        `"${file.relative}" is a folder; the editor only opens files.`,
        'List it with list_dir, then open one of its files.',
      )
    }
    const at = await context.editor.ask('editor.open', { path: file.relative, line: args.line }, context.signal)
    return {
      text: `Opened ${at.path} at line ${at.line}, column ${at.column}.`,
      view: { kind: 'editor', action: 'open', path: at.path, line: at.line },
    }
  },
})

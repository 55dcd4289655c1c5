import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'

export const createDirectory = defineTool({
  name: 'create_directory',
  title: 'Create directory',
  description: 'Creates a directory and its missing parents. Does nothing if it exists.',
  risk: 'write',
  schema: () =>
    z.object({
      path: z.string().describe('Directory to create, relative to the workspace.'),
    }),
  writes: (args) => [args.path],
  examples: [{ path: 'src/modules/new_feature' }],
  async preview(args, context) {
    await context.files.check({ kind: 'createDirectory', ...args })
    return {}
  },
  async run(args, context) {
    context.signal.throwIfAborted()
    const { path, created } = await context.files.createDirectory(args.path)
    return { text: created ? `Created the directory "${path}".` : `The directory "${path}" already exists.` }
  },
})

import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'

export const getFileInfo = defineTool({
  name: 'get_file_info',
  title: 'File information',
  description:
    'Returns metadata of a file or directory as JSON: path, size (bytes), is_directory, is_file, modified (seconds since 1970), readonly.',
  risk: 'read',
  schema: () =>
    z.object({
      path: z.string().describe('File or directory to inspect, relative to the workspace.'),
    }),
  examples: [{ path: 'Cargo.toml' }],
  async run(args, context) {
    context.signal.throwIfAborted()
    return { text: JSON.stringify(await context.files.info(args.path), null, 2), format: 'json' }
  },
})

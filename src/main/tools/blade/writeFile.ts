import { z } from 'zod'
import { previewWholeFile, writeWholeFile } from '../common/writeWholeFile.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { pathAliases } from './symbolParameters.ts'

export const writeFile = defineTool({
  name: 'write_file',
  aliases: ['create_file'],
  title: 'Write file',
  description:
    'Writes a whole text file, creating it and its folders or replacing its content. To change parts of a file use apply_patch. ' +
    'An existing file keeps its encoding, line endings and permissions.',
  risk: 'write',
  schema: () =>
    z.object({
      path: z.string().describe('File to write, relative to the workspace.'),
      content: z.string().describe('Complete content.'),
    }),
  parameterAliases: { ...pathAliases, contents: 'content', text: 'content', data: 'content' },
  writes: (args) => [args.path],
  examples: [{ path: 'src/new_module.rs', content: 'pub fn hello() {\n    println!("Hello!");\n}\n' }],
  preview: (args, context) => previewWholeFile(args, context),
  run: (args, context) => writeWholeFile(args, context),
})

import { z } from 'zod'
import { previewWholeFile, writeWholeFile } from '../common/writeWholeFile.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { filePath } from './filePathParameter.ts'

export const write = defineTool({
  name: 'Write',
  title: 'Write file',
  description:
    'Writes a whole text file, creating it and its folders or overwriting its content. To change parts of a file use Edit or Patch.',
  risk: 'write',
  schema: () =>
    z.object({ file_path: filePath('write'), content: z.string().describe('Complete content of the file.') }),
  writes: (args) => [args.file_path],
  examples: [{ file_path: 'config.toml', content: '[server]\nport = 8080\nhost = "0.0.0.0"' }],
  preview: ({ file_path: path, content }, context) => previewWholeFile({ path, content }, context),
  run: ({ file_path: path, content }, context) => writeWholeFile({ path, content }, context),
})

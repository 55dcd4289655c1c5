import { previewWholeFile, writeWholeFile } from '../common/writeWholeFile.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { z } from 'zod'

const schema = () =>
  z.object({
    path: z.string().describe('File to write, relative to the workspace.'),
    content: z.string().describe('Complete content of the file.'),
  })

export const fileWrite = defineTool({
  name: 'file_write',
  title: 'Write file',
  description:
    'Creates a file with its folders, or overwrites it completely. For targeted edits use file_edit or apply_patch.',
  risk: 'write',
  schema,
  writes: (args) => [args.path],
  examples: [{ path: 'src/utils.rs', content: 'pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n' }],
  preview: previewWholeFile,
  run: writeWholeFile,
})

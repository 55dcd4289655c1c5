import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { patchOneFile, previewOneFile } from '../common/singleFilePatch.ts'

export const filePatch = defineTool({
  name: 'file_patch',
  title: 'Patch file',
  description:
    'Changes parts of one file; the patch applies completely or not at all. The patch is a unified diff ("@@ -line,count +line,count @@" hunks), or blocks of ' +
    '"<<<<<<< SEARCH", lines to find, "=======", replacement lines, ">>>>>>> REPLACE".',
  risk: 'write',
  schema: () =>
    z.object({
      path: z.string().describe('File to patch, relative to the workspace.'),
      patch: z.string().describe('Unified diff of this file, or search and replace blocks.'),
    }),
  writes: (args) => [args.path],
  examples: [
    {
      path: 'src/main.rs',
      patch: '@@ -1,3 +1,3 @@\n fn main() {\n-    println!("Hello");\n+    println!("Hello, world!");\n }\n',
    },
    {
      path: 'src/main.rs',
      patch: '<<<<<<< SEARCH\n    println!("Hello");\n=======\n    println!("Hello, world!");\n>>>>>>> REPLACE\n',
    },
  ],
  preview: ({ path, patch }, context) => previewOneFile(path, patch, context),
  run: ({ path, patch }, context) => patchOneFile(path, patch, context),
})

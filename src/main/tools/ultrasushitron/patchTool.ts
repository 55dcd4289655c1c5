import { z } from 'zod'
import { filePath } from './filePathParameter.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { patchOneFile, previewOneFile, dryRunOneFile } from '../common/singleFilePatch.ts'

export const patch = defineTool({
  name: 'Patch',
  title: 'Apply patch',
  description:
    'Applies a unified diff (several hunks) to one file, completely or not at all. Each hunk is matched near its line; offset and fuzz are reported. dry_run writes nothing.',
  risk: 'write',
  riskOf: (args) => (args.dry_run ? 'read' : 'write'),
  schema: () =>
    z.object({
      file_path: filePath('patch'),
      patch: z.string().describe('Unified diff of this file.'),
      dry_run: z.boolean().default(false).describe('Only show the effect of each hunk.'),
    }),
  writes: (args) => (args.dry_run ? [] : [args.file_path]),
  examples: [
    {
      file_path: 'src/main.rs',
      patch:
        '--- a/main.rs\n+++ b/main.rs\n@@ -1,3 +1,3 @@\n fn main() {\n-    println!("Hello");\n+    println!("Hello, world!");\n }',
      dry_run: true,
    },
  ],
  preview: (args, context) => previewOneFile(args.file_path, args.patch, context),
  run: (args, context) => (args.dry_run ? dryRunOneFile : patchOneFile)(args.file_path, args.patch, context),
})

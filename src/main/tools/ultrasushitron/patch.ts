import { z } from 'zod'
import { filePath } from './fields.ts'
import { defineTool } from '../tool.ts'
import { patchFile, planPatch, reportHunks } from './unifiedPatch.ts'

export const patch = defineTool({
  name: 'Patch',
  title: 'Apply patch',
  description: 'Applies a unified diff (several hunks) to one file: all of it or nothing. Each hunk is looked for near its line; offset and fuzz are reported. With dry_run nothing is written.',
  risk: 'write',
  riskOf: (args) => (args.dry_run ? 'read' : 'write'),
  schema: z.object({
    file_path: filePath('patch'),
    patch: z.string().describe('Unified diff of this one file.'),
    dry_run: z.boolean().default(false).describe('Only show what each hunk would do.'),
  }),
  writes: (args) => (args.dry_run ? [] : [args.file_path]),
  examples: [{ file_path: 'src/main.rs', patch: '--- a/main.rs\n+++ b/main.rs\n@@ -1,3 +1,3 @@\n fn main() {\n-    println!("Hello");\n+    println!("Hello, world!");\n }', dry_run: true }],
  async preview(args, context) {
    const plan = await planPatch(args.file_path, args.patch, context)
    return { view: { kind: 'diff', files: [plan.change], unsaved: plan.base?.unsaved, note: reportHunks(plan.hunks) } }
  },
  async run(args, context) {
    if (!args.dry_run) return patchFile(args.file_path, args.patch, context)
    const plan = await planPatch(args.file_path, args.patch, context, { rejects: 'allow' })
    const rejected = plan.hunks.filter(({ kind }) => kind === 'rejected').length
    const verdict = rejected === 0 ? 'The whole patch would apply' : `${rejected} of ${plan.hunks.length} hunks would be rejected, so the patch would fail as a whole`
    return {
      text: `Dry run: nothing was written. ${verdict}.\n${reportHunks(plan.hunks)}\n\n${plan.change.diff}`.trimEnd(),
      view: { kind: 'diff', files: [plan.change], note: 'Dry run: nothing was written.' },
    }
  },
})

import { z } from 'zod'
import { parseBlocks, type SearchReplace } from '../../edit/searchReplace.ts'
import type { Edit, EditNames } from '../../edit/match.ts'
import { editText, previewEdit } from '../blade/textEdits.ts'
import { defineTool } from '../tool.ts'
import { patchFile, planPatch, reportHunks } from '../ultrasushitron/unifiedPatch.ts'

const names: EditNames = { oldText: 'the SEARCH part', newText: 'the REPLACE part' }

export const filePatch = defineTool({
  name: 'file_patch',
  title: 'Patch file',
  description:
    'Changes parts of one file, all of the patch or nothing. The patch is a unified diff ("@@ -line,count +line,count @@" hunks), or blocks of '
    + '"<<<<<<< SEARCH", the lines to find, "=======", the lines to put there, ">>>>>>> REPLACE".',
  risk: 'write',
  schema: z.object({
    path: z.string().describe('File to patch, relative to the workspace or absolute inside it.'),
    patch: z.string().describe('Unified diff of this file, or search and replace blocks.'),
  }),
  writes: (args) => [args.path],
  examples: [
    { path: 'src/main.rs', patch: '@@ -1,3 +1,3 @@\n fn main() {\n-    println!("Hello");\n+    println!("Hello, world!");\n }\n' },
    { path: 'src/main.rs', patch: '<<<<<<< SEARCH\n    println!("Hello");\n=======\n    println!("Hello, world!");\n>>>>>>> REPLACE\n' },
  ],
  async preview({ path, patch }, context) {
    const blocks = parseBlocks(patch)
    if (blocks) return previewEdit(path, editsOf(blocks), names, context)
    const plan = await planPatch(path, patch, context)
    return { view: { kind: 'diff', files: [plan.change], unsaved: plan.base?.unsaved, note: reportHunks(plan.hunks) } }
  },
  async run({ path, patch }, context) {
    const blocks = parseBlocks(patch)
    return blocks ? editText(path, editsOf(blocks), names, context) : patchFile(path, patch, context)
  },
})

function editsOf(blocks: readonly SearchReplace[]): Edit[] {
  return blocks.map(({ search, replace }) => ({ oldText: search, newText: replace }))
}

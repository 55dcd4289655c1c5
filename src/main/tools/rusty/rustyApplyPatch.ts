import { z } from 'zod'
import type { Risk } from '../../../shared/risk.ts'
import { patchSections } from '../../edit/patchForms.ts'
import { defineTool } from '../tool.ts'
import { previewSections, runSections, writtenPaths } from '../common/runPatch.ts'

const example = `*** Begin Patch
*** Update File: src/lib.rs
 use std::io;

-pub fn read_input() -> String {
+pub fn read_input() -> Result<String, io::Error> {
     let mut input = String::new();
-    std::io::stdin().read_line(&mut input).unwrap();
-    input
+    std::io::stdin().read_line(&mut input)?;
+    Ok(input)
 }
*** End Patch`

export const applyPatch = defineTool({
  name: 'apply_patch',
  title: 'Apply patch',
  description:
    'Adds, changes, moves and deletes files with one patch, all of it or nothing. Between "*** Begin Patch" and "*** End Patch" stand sections: ' +
    '"*** Add File: path" (each line with "+" in front); "*** Update File: path", perhaps "*** Move to: path", then lines with " " (context), "-" or "+" in front, ' +
    'with "@@" or "@@ a line above, such as def f():" before each further place, and "*** End of File" behind lines that end the file; "*** Delete File: path". ' +
    'Context lines are copied from the file, about three before and after a change.',
  risk: 'destructive',
  riskOf: ({ patch }): Risk => (patchSections(patch).some(({ kind }) => kind === 'delete') ? 'destructive' : 'write'),
  schema: z.object({ patch: z.string().describe('The whole patch, from "*** Begin Patch" to "*** End Patch".') }),
  parameterAliases: { input: 'patch' },
  writes: ({ patch }) => writtenPaths(patchSections(patch)),
  examples: [{ patch: example }],
  preview: ({ patch }, context) => previewSections(patchSections(patch), context),
  run: ({ patch }, context) => runSections(patchSections(patch), context),
})

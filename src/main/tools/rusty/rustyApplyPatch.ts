import { z } from 'zod'
import type { Risk } from '../../../shared/tools/risk.ts'
import { parsePatchSections } from '../../edit/patchFormats.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { previewSections, runSections, writtenPaths } from '../common/envelopePatch.ts'

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
    'Adds, changes, moves and deletes files with one patch, completely or not at all. Between "*** Begin Patch" and "*** End Patch" it has sections: ' +
    '"*** Add File: path" (each line prefixed with "+"); "*** Update File: path", optionally "*** Move to: path", then lines prefixed with " " (context), "-" or "+", ' +
    'with "@@" or "@@ a line above, such as def f():" before each further place, and "*** End of File" after lines that end the file; "*** Delete File: path". ' +
    'Copy about three context lines from the file before and after a change.',
  risk: 'destructive',
  riskOf: ({ patch }): Risk =>
    parsePatchSections(patch).some(({ kind }) => kind === 'delete') ? 'destructive' : 'write',
  schema: () => z.object({ patch: z.string().describe('The whole patch, from "*** Begin Patch" to "*** End Patch".') }),
  parameterAliases: { input: 'patch' },
  writes: ({ patch }) => writtenPaths(parsePatchSections(patch)),
  examples: [{ patch: example }],
  preview: ({ patch }, context) => previewSections(parsePatchSections(patch), context),
  run: ({ patch }, context) => runSections(parsePatchSections(patch), context),
})

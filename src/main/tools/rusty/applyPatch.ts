import { z } from 'zod'
import type { Risk } from '../../../shared/risk.ts'
import type { FileDiff } from '../../../shared/tool.ts'
import { parseEnvelope } from '../../edit/envelope.ts'
import type { HunkPlace } from '../../edit/envelopeHunks.ts'
import { describeLineStage } from '../../edit/lineBlocks.ts'
import { countLines, keepForUndo } from '../blade/fileChanges.ts'
import { defineTool, type ToolContext } from '../tool.ts'
import { planPatch, stepDiff, type PlannedStep } from './patchPlan.ts'
import { carryOut } from './patchSteps.ts'

const lost = 'This cannot be taken back.'

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
    'Adds, changes, moves and deletes files with one patch, all of it or nothing. Between "*** Begin Patch" and "*** End Patch" stand sections: '
    + '"*** Add File: path" (each line with "+" in front); "*** Update File: path", perhaps "*** Move to: path", then lines with " " (context), "-" or "+" in front, '
    + 'with "@@" or "@@ a line above, such as def f():" before each further place, and "*** End of File" behind lines that end the file; "*** Delete File: path". '
    + 'Context lines are copied from the file, about three before and after a change.',
  risk: 'destructive',
  riskOf: ({ patch }): Risk => (parseEnvelope(patch).some(({ kind }) => kind === 'delete') ? 'destructive' : 'write'),
  schema: z.object({ patch: z.string().describe('The whole patch, from "*** Begin Patch" to "*** End Patch".') }),
  parameterAliases: { input: 'patch' },
  writes: ({ patch }) => parseEnvelope(patch).flatMap((section) => (section.kind === 'update' && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path])),
  examples: [{ patch: example }],
  async preview({ patch }, context) {
    const steps = await planPatch(parseEnvelope(patch), context)
    const forGood = steps.some((step) => (step.kind === 'delete' || step.kind === 'move') && typeof step.kept?.restorable !== 'string')
    return { view: { kind: 'diff', files: await diffsOf(steps, context), ...(forGood ? { note: lost } : {}) } }
  },
  async run({ patch }, context) {
    const steps = await planPatch(parseEnvelope(patch), context)
    // Before any file changes, so that nothing can fail once they have.
    const files = await diffsOf(steps, context)
    const { changes, unsaved } = await carryOut(steps, context)
    const { editId, note } = changes ? keepForUndo(changes, context) : { editId: undefined, note: lost }
    const report = steps.map((step, index) => describeStep(step, files[index] ?? { added: 0, removed: 0 }))
    const tabs = unsaved.length > 0 ? [`Changed in the open tab only, where the user has unsaved changes: ${unsaved.join(', ')}.`] : []
    return {
      text: ['Applied the patch:', ...report, ...tabs, ...(note ? [note] : [])].join('\n'),
      view: { kind: 'diff', files, editId, unsaved: unsaved.length > 0, note },
    }
  },
})

async function diffsOf(steps: readonly PlannedStep[], context: ToolContext): Promise<FileDiff[]> {
  const files: FileDiff[] = []
  for (const step of steps) files.push(await stepDiff(step, context))
  return files
}

function describeStep(step: PlannedStep, { added, removed }: { added: number; removed: number }): string {
  switch (step.kind) {
    case 'create': return `A ${step.path} (${countLines(added)})`
    case 'delete': return `D ${step.path}`
    case 'edit': return `M ${step.path} (+${added} -${removed})${describePlaces(step.places)}`
    case 'move': return `R ${step.path} -> ${step.to} (+${added} -${removed})${describePlaces(step.places)}`
  }
}

/** Only what was not found exactly is worth a model's attention. */
function describePlaces(places: readonly HunkPlace[]): string {
  const loose = places.filter(({ stage }) => stage !== 'exact').map(({ line, stage }) => `line ${line} ${describeLineStage(stage)}`)
  return loose.length > 0 ? `: ${loose.join(', ')}` : ''
}

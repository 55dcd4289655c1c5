import type { FileDiff } from '../../../shared/tools/tool.ts'
import type { EnvelopeSection } from '../../edit/envelope.ts'
import type { HunkLocation } from '../../edit/envelopeHunks.ts'
import { describeLineStage } from '../../edit/lineBlocks.ts'
import { lineCountText, storeForUndo } from './undoableChanges.ts'
import { tabsOnlyNote } from './unsavedNotices.ts'
import type { ToolContext, ToolOutput, ToolPreview } from './toolDefinition.ts'
import { planPatch, stepDiff, type PlannedStep } from './patchPlan.ts'
import { executePlan } from './executePatch.ts'

const cannotUndo = 'This cannot be undone.'

/** Returns all paths that sections change, including move targets. */
export function writtenPaths(sections: readonly EnvelopeSection[]): string[] {
  return sections.flatMap((section) =>
    section.kind === 'update' && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path],
  )
}

/** Returns the diff that `runSections` would make. Throws the same errors. */
export async function previewSections(
  sections: readonly EnvelopeSection[],
  context: ToolContext,
): Promise<ToolPreview> {
  const steps = await planPatch(sections, context)
  const forGood = steps.some(
    (step) => (step.kind === 'delete' || step.kind === 'move') && typeof step.kept?.restorable !== 'string',
  )
  return { view: { kind: 'diff', files: await diffsOf(steps, context), ...(forGood ? { note: cannotUndo } : {}) } }
}

/** Applies all sections of a patch or none. Throws the errors of `planPatch` and `executePatch`. */
export async function runSections(sections: readonly EnvelopeSection[], context: ToolContext): Promise<ToolOutput> {
  const steps = await planPatch(sections, context)
  // The diffs are made before any file changes, so that nothing can fail afterwards.
  const files = await diffsOf(steps, context)
  const { changes, unsaved } = await executePlan(steps, context)
  const { editId, note } = changes ? storeForUndo(changes, context) : { editId: undefined, note: cannotUndo }
  const report = steps.map((step, index) => describeStep(step, files[index] ?? { added: 0, removed: 0 }))
  return {
    text: ['Applied the patch:', ...report, tabsOnlyNote(unsaved), note ?? ''].filter((line) => line !== '').join('\n'),
    view: { kind: 'diff', files, editId, unsaved: unsaved.length > 0, note },
  }
}

async function diffsOf(steps: readonly PlannedStep[], context: ToolContext): Promise<FileDiff[]> {
  const files: FileDiff[] = []
  for (const step of steps) files.push(await stepDiff(step, context))
  return files
}

function describeStep(step: PlannedStep, { added, removed }: { added: number; removed: number }): string {
  switch (step.kind) {
    case 'create':
      return `A ${step.path} (${lineCountText(added)})`
    case 'delete':
      return `D ${step.path}`
    case 'edit':
      return `M ${step.path} (+${added} -${removed})${describePlaces(step.places)}`
    case 'move':
      return `R ${step.path} -> ${step.to} (+${added} -${removed})${describePlaces(step.places)}`
  }
}

/** Lists only the matches that were not exact. */
function describePlaces(places: readonly HunkLocation[]): string {
  const loose = places
    .filter(({ stage }) => stage !== 'exact')
    .map(({ line, stage }) => `line ${line} ${describeLineStage(stage)}`)
  return loose.length > 0 ? `: ${loose.join(', ')}` : ''
}

import { ToolError } from '../../../shared/errors.ts'
import type { FileEdits } from '../../../shared/language/languageServers.ts'
import type { FileDiff } from '../../../shared/tools/tool.ts'
import { applyRangeEdits } from '../../../shared/editor/rangeEdits.ts'
import { textHash } from '../../../shared/files/textHash.ts'
import { diffOf } from '../../edit/editRunner.ts'
import type { ToolContext, ToolOutput, ToolPreview } from './toolDefinition.ts'
import { executePlan } from './executePatch.ts'
import { storeForUndo } from './undoableChanges.ts'
import type { PlannedStep } from './patchPlan.ts'
import { tabsOnlyNote } from './unsavedNotices.ts'

interface PlannedEdits {
  steps: PlannedStep[]
  diffs: FileDiff[]
}

/** Reads the files and computes their new texts. @throws ToolError refused for protected and secret files */
async function plan(files: readonly FileEdits[], context: ToolContext): Promise<PlannedEdits> {
  const steps: PlannedStep[] = []
  const diffs: FileDiff[] = []
  for (const { path, edits, textHash: hash } of files) {
    context.languages.checkChange(path)
    const base = await context.documents.read(path, context.signal)
    if (textHash(base.text) !== hash)
      throw new ToolError('conflict', `${path} has changed since this was computed.`, 'Nothing was changed. Try again.')
    const text = applyRangeEdits(base.text, edits)
    if (text === base.text) continue
    steps.push({ kind: 'edit', path: base.path, base, text, places: [] })
    diffs.push(await diffOf(base.path, base.text, text, context.signal))
  }
  return { steps, diffs }
}

/** Shows the changes that `applyServerEdits` would make. */
export async function previewServerEdits(files: readonly FileEdits[], context: ToolContext): Promise<ToolPreview> {
  return { view: { kind: 'diff', files: (await plan(files, context)).diffs } }
}

/** Applies edits of language servers to all files or none. @param what begins the text for the model */
export async function applyServerEdits(
  what: string,
  files: readonly FileEdits[],
  context: ToolContext,
): Promise<ToolOutput> {
  const { steps, diffs } = await plan(files, context)
  if (steps.length === 0) throw new ToolError('no_change', 'This changes nothing.', 'Read the file again.')
  const { changes, unsaved } = await executePlan(steps, context)
  const { editId, note } = changes ? storeForUndo(changes, context) : { editId: undefined, note: undefined }
  const report = diffs.map(({ path, added, removed }) => `M ${path} (+${added} -${removed})`)
  return {
    text: [`${what}:`, ...report, tabsOnlyNote(unsaved), note ?? ''].filter((line) => line !== '').join('\n'),
    view: { kind: 'diff', files: diffs, editId, unsaved: unsaved.length > 0, note },
  }
}

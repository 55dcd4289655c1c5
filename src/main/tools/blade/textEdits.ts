import type { FileDiff } from '../../../shared/tool.ts'
import { planEdits } from '../../edit/editRunner.ts'
import { describeStage, type Edit, type EditNames } from '../../edit/match.ts'
import { lineRange, type PatchedText } from '../../edit/multiPatch.ts'
import type { ToolContext, ToolOutput, ToolPreview } from '../tool.ts'
import { keepForUndo } from './fileChanges.ts'

/** A model has just written the change itself: it needs to see where it landed, not all of a large one again. */
const maxDiffLines = 120
const maxDiffLength = 8_000

/** Applies search-and-replace edits to one file, all or none, and tells where and how each matched. */
export async function editText(path: string, edits: readonly Edit[], names: EditNames, context: ToolContext): Promise<ToolOutput> {
  const base = await context.documents.read(path, context.signal)
  const { patched, change } = await planEdits(base.path, base.text, edits, names, context.signal)
  const places = reportPlaces(patched)
  const diff = shortDiff(change)
  const outcome = await context.documents.edit(base, patched.text, context.signal)
  const { editId, note } = keepForUndo([{ path: outcome.path, before: base.text, after: outcome.after }], context)
  const unsaved = outcome.unsaved
    ? ' in the open tab; the tab has unsaved changes of the user and stays unsaved, nothing was written to disk'
    : ''
  return {
    text: `Changed "${outcome.path}"${unsaved}: ${places}${note ? `\n${note}` : ''}\n\n${diff}`,
    view: { kind: 'diff', files: [change], editId, unsaved: outcome.unsaved, note: note ? `${places} ${note}` : places },
  }
}

/** The diff that `editText` would make. Throws as it does. */
export async function previewEdit(path: string, edits: readonly Edit[], names: EditNames, context: ToolContext): Promise<ToolPreview> {
  const base = await context.documents.read(path, context.signal)
  const { patched, change } = await planEdits(base.path, base.text, edits, names, context.signal)
  return { view: { kind: 'diff', files: [change], unsaved: base.unsaved, note: reportPlaces(patched) } }
}

function reportPlaces({ placements }: PatchedText): string {
  const [only, ...others] = placements
  if (only && others.length === 0) return `${lineRange(only)}, ${describeStage(only.stage)}.`
  return `${placements.length} patches (lines of the file before).\n${placements
    .map((placement, index) => `- patches[${index}]: ${lineRange(placement)}, ${describeStage(placement.stage)}`)
    .join('\n')}`
}

function shortDiff(change: FileDiff): string {
  const lines = change.diff.trimEnd().split('\n')
  const shown: string[] = []
  let room = maxDiffLength
  for (const line of lines.slice(0, maxDiffLines)) {
    room -= line.length + 1
    if (room < 0) break
    shown.push(line)
  }
  if (shown.length === lines.length) return shown.join('\n')
  const total = `in all ${change.added} lines added, ${change.removed} removed`
  return `${shown.join('\n')}\n[… ${lines.length - shown.length} more lines of the diff; ${total} …]`
}

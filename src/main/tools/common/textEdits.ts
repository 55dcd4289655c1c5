import { toFailure } from '../../../shared/errors.ts'
import type { FileDiff } from '../../../shared/tools/tool.ts'
import { plural } from '../../../shared/text/plural.ts'
import { planEdits } from '../../edit/editRunner.ts'
import { describeMatchStage, type Edit, type ParameterNames } from '../../edit/locateEdit.ts'
import { lineRange, type PatchedText } from '../../edit/multiPatch.ts'
import type { ToolContext, ToolOutput, ToolPreview } from './toolDefinition.ts'
import { storeForUndo } from './undoableChanges.ts'
import { tabOnlyNote } from './unsavedNotices.ts'

/** Maximum lines and UTF-16 units of the diff in a result. The model knows the change and needs only its location. */
const maxDiffLines = 120
const maxDiffLength = 8_000

/** Applies all search-and-replace edits to one file or none, and reports where and how each matched. */
export async function editText(
  path: string,
  edits: readonly Edit[],
  names: ParameterNames,
  context: ToolContext,
): Promise<ToolOutput> {
  const { patched, change, outcome } = await editOnce(path, edits, names, context)
  const places = reportPlaces(patched)
  const diff = shortDiff(change)
  const { editId, note } = storeForUndo([{ path: outcome.path, before: outcome.before, after: outcome.after }], context)
  return {
    text: `Changed "${outcome.path}": ${places}${tabOnlyNote(outcome.unsaved)}${note ? `\n${note}` : ''}\n\n${diff}`,
    view: {
      kind: 'diff',
      files: [change],
      editId,
      unsaved: outcome.unsaved,
      note: [describePlaces(patched), note].filter(Boolean).join(' ') || undefined,
    },
  }
}

/**
 * Plans and applies the edits. If another process changed the file in between, they are planned again if this is safe:
 * each text still occurs exactly once.
 */
async function editOnce(path: string, edits: readonly Edit[], names: ParameterNames, context: ToolContext) {
  const plan = async () => {
    const base = await context.documents.read(path, context.signal)
    return { base, ...(await planEdits(base.path, base.text, edits, names, context.signal)) }
  }
  const first = await plan()
  try {
    return { ...first, outcome: await context.documents.edit(first.base, first.patched.text, context.signal) }
  } catch (error) {
    const isSafe = ({ placements }: PatchedText) =>
      placements.every(({ stage }) => stage === 'exact') && edits.every(({ startLine }) => startLine === undefined)
    if (toFailure(error).code !== 'changed_on_disk' || !isSafe(first.patched)) throw error
    return context.documents.exclusive(
      first.base,
      async () => {
        // If the retry fails, the caller gets the original error: the file changed.
        const second = await plan().catch(() => Promise.reject(error))
        if (!isSafe(second.patched)) throw error
        return { ...second, outcome: await context.documents.edit(second.base, second.patched.text, context.signal) }
      },
      context.signal,
    )
  }
}

/** Returns the diff that `editText` would make. Throws the same errors. */
export async function previewEdit(
  path: string,
  edits: readonly Edit[],
  names: ParameterNames,
  context: ToolContext,
): Promise<ToolPreview> {
  const base = await context.documents.read(path, context.signal)
  const { patched, change } = await planEdits(base.path, base.text, edits, names, context.signal)
  return { view: { kind: 'diff', files: [change], unsaved: base.unsaved, note: describePlaces(patched) } }
}

/** Describes for the user how exactly the edits matched. Undefined for one exact match. */
function describePlaces({ placements }: PatchedText): string | undefined {
  const inexact = placements.filter(({ stage }) => stage !== 'exact')
  const places = inexact.map((placement) => `${lineRange(placement)} ${describeMatchStage(placement.stage)}`).join('; ')
  if (placements.length === 1) return places ? `${capitalize(places)}.` : undefined
  return `${plural(placements.length, 'edit')}, ${inexact.length === 0 ? 'all exact' : places}.`
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Reports to the model where each patch was applied. */
function reportPlaces({ placements }: PatchedText): string {
  const [only, ...others] = placements
  if (only && others.length === 0) return `${lineRange(only)}, ${describeMatchStage(only.stage)}.`
  return `${plural(placements.length, 'patch', 'patches')} (lines of the file before).\n${placements
    .map((placement, index) => `- patches[${index}]: ${lineRange(placement)}, ${describeMatchStage(placement.stage)}`)
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
  const total = `in all ${plural(change.added, 'line')} added, ${change.removed} removed`
  return `${shown.join('\n')}\n[… ${plural(lines.length - shown.length, 'more line')} of the diff; ${total} …]`
}

import { toFailure } from '../../../shared/errors.ts'
import type { FileDiff } from '../../../shared/tool.ts'
import { plural } from '../../../shared/plural.ts'
import { planEdits } from '../../edit/editRunner.ts'
import { describeStage, type Edit, type EditNames } from '../../edit/editMatching.ts'
import { lineRange, type PatchedText } from '../../edit/multiPatch.ts'
import type { ToolContext, ToolOutput, ToolPreview } from '../tool.ts'
import { keepForUndo } from './fileChanges.ts'

/** A model has just written the change itself: it needs to see where it landed, not all of a large one again. */
const maxDiffLines = 120
const maxDiffLength = 8_000

/** Applies search-and-replace edits to one file, all or none, and tells where and how each matched. */
export async function editText(
  path: string,
  edits: readonly Edit[],
  names: EditNames,
  context: ToolContext,
): Promise<ToolOutput> {
  const { base, patched, change, outcome } = await editOnce(path, edits, names, context)
  const places = reportPlaces(patched)
  const diff = shortDiff(change)
  const { editId, note } = keepForUndo([{ path: outcome.path, before: base.text, after: outcome.after }], context)
  const unsaved = outcome.unsaved
    ? ' in the open tab; the tab has unsaved changes of the user and stays unsaved, nothing was written to disk'
    : ''
  return {
    text: `Changed "${outcome.path}"${unsaved}: ${places}${note ? `\n${note}` : ''}\n\n${diff}`,
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
 * Plans the edits and makes them. Where another process changed the file in between, they are planned again on what it holds
 * now, if that is safe: every text still stands exactly once.
 */
async function editOnce(path: string, edits: readonly Edit[], names: EditNames, context: ToolContext) {
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
        // Where it cannot be made any more, the caller learns why: the file changed.
        const second = await plan().catch(() => Promise.reject(error))
        if (!isSafe(second.patched)) throw error
        return { ...second, outcome: await context.documents.edit(second.base, second.patched.text, context.signal) }
      },
      context.signal,
    )
  }
}

/** The diff that `editText` would make. Throws as it does. */
export async function previewEdit(
  path: string,
  edits: readonly Edit[],
  names: EditNames,
  context: ToolContext,
): Promise<ToolPreview> {
  const base = await context.documents.read(path, context.signal)
  const { patched, change } = await planEdits(base.path, base.text, edits, names, context.signal)
  return { view: { kind: 'diff', files: [change], unsaved: base.unsaved, note: describePlaces(patched) } }
}

/** For the user, who sees the lines in the diff: how sure the places are. Undefined for one exact place, which says nothing. */
function describePlaces({ placements }: PatchedText): string | undefined {
  const inexact = placements.filter(({ stage }) => stage !== 'exact')
  const places = inexact.map((placement) => `${lineRange(placement)} ${describeStage(placement.stage)}`).join('; ')
  if (placements.length === 1) return places ? `${sentence(places)}.` : undefined
  return `${plural(placements.length, 'edit')}, ${inexact.length === 0 ? 'all exact' : places}.`
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** For the model: where each of its patches went. */
function reportPlaces({ placements }: PatchedText): string {
  const [only, ...others] = placements
  if (only && others.length === 0) return `${lineRange(only)}, ${describeStage(only.stage)}.`
  return `${plural(placements.length, 'patch', 'patches')} (lines of the file before).\n${placements
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
  const total = `in all ${plural(change.added, 'line')} added, ${change.removed} removed`
  return `${shown.join('\n')}\n[… ${plural(lines.length - shown.length, 'more line')} of the diff; ${total} …]`
}

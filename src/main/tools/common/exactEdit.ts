import { toFailure } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import { diffOf, planExact } from '../../edit/editRunner.ts'
import type { ExactReplacement } from '../../edit/exactReplace.ts'
import type { TextDocument } from '../../workspace/documents.ts'
import { lineCountText, storeForUndo } from './undoableChanges.ts'
import type { ToolContext, ToolOutput, ToolPreview } from './toolDefinition.ts'
import { tabOnlyNote } from './unsavedNotices.ts'

interface ExactEdit {
  path: string
  old_string: string
  new_string: string
  replace_all?: boolean
}

/** Replaces exact text in a file, for toolsets whose edit tools have `old_string` and `new_string`. */
export async function applyExactEdit(args: ExactEdit, context: ToolContext): Promise<ToolOutput> {
  const { lines, change, outcome } = await editOnce(args, context)
  const { editId, note } = storeForUndo([{ path: outcome.path, before: outcome.before, after: outcome.after }], context)
  const places =
    lines.length === 1
      ? `at line ${lines[0]}`
      : `at ${plural(lines.length, 'place')} (lines ${lines.slice(0, 20).join(', ')}${lines.length > 20 ? ', …' : ''})`
  return {
    text: `Edited "${outcome.path}" ${places}: ${lineCountText(change.added)} added, ${lineCountText(change.removed)} removed.${tabOnlyNote(outcome.unsaved)}${note ? ` ${note}` : ''}`,
    view: { kind: 'diff', files: [change], editId, unsaved: outcome.unsaved, note },
  }
}

/** Applies the edit. A single replacement is retried if another process changed the file since it was read. */
async function editOnce(args: ExactEdit, context: ToolContext) {
  const attempt = async () => {
    const base = await context.documents.read(args.path, context.signal)
    const { text, lines } = await planReplacement(base, args, context)
    // The diff is made before the file changes, so that nothing can fail afterwards.
    const change = await diffOf(base.path, base.text, text, context.signal)
    return { base, lines, change, make: () => context.documents.edit(base, text, context.signal) }
  }
  const first = await attempt()
  try {
    return { ...first, outcome: await first.make() }
  } catch (error) {
    if (toFailure(error).code !== 'changed_on_disk' || args.replace_all) throw error
    return context.documents.exclusive(
      first.base,
      async () => {
        // If the retry fails, the caller gets the original error: the file changed.
        const second = await attempt().catch(() => Promise.reject(error))
        return { ...second, outcome: await second.make() }
      },
      context.signal,
    )
  }
}

/** Returns the diff that `applyExactEdit` would make. Throws the same errors. */
export async function previewExactEdit(args: ExactEdit, context: ToolContext): Promise<ToolPreview> {
  const base = await context.documents.read(args.path, context.signal)
  const { text } = await planReplacement(base, args, context)
  return {
    view: { kind: 'diff', files: [await diffOf(base.path, base.text, text, context.signal)], unsaved: base.unsaved },
  }
}

function planReplacement(
  { path, text }: TextDocument,
  args: ExactEdit,
  { signal }: ToolContext,
): Promise<ExactReplacement> {
  return planExact(path, text, { old: args.old_string, now: args.new_string, all: args.replace_all ?? false }, signal)
}

import { ToolError } from '../../../shared/errors.ts'
import type { FileDiff } from '../../../shared/tools/tool.ts'
import { plural, pluralNoun } from '../../../shared/text/plural.ts'
import { diffOf, planUnified } from '../../edit/editRunner.ts'
import { describeLineStage } from '../../edit/lineBlocks.ts'
import { parseUnified } from '../../edit/unifiedParser.ts'
import type { UnifiedOutcome } from '../../edit/unifiedApply.ts'
import type { TextDocument, WriteOutcome } from '../../workspace/documents.ts'
import { normalizeText } from '../../base/textFormat.ts'
import { storeForUndo } from './undoableChanges.ts'
import type { ToolContext, ToolOutput } from '../toolDefinition.ts'
import { tabOnlyNote } from './unsavedChanges.ts'

const maxHunkLines = 40

interface PatchPlan {
  path: string
  /** Null for a file that the patch creates. */
  base: TextDocument | null
  text: string
  hunks: UnifiedOutcome['hunks']
  change: FileDiff
}

/**
 * Plans a unified diff for one file without writing.
 * @throws ToolError errors of reading and parsing, and no_match with each rejected hunk unless rejects are allowed
 */
export async function planUnifiedPatch(
  given: string,
  patch: string,
  context: ToolContext,
  options: { rejects?: 'allow' } = {},
): Promise<PatchPlan> {
  const { hunks, oldPath, newPath } = parseUnified(patch)
  if (newPath === '/dev/null') {
    throw new ToolError(
      'invalid_arguments',
      'The diff deletes the file, but this tool only changes the content of a file.',
      'Keep the file, or delete it with a command.',
    )
  }
  const base = await baseOf(given, oldPath, context)
  const { relative: path } = await context.workspace.resolve(given, { missing: 'allow' })
  const outcome = await planUnified(path, base?.text ?? '', hunks, context.signal)
  const rejected = outcome.hunks.filter(({ kind }) => kind === 'rejected').length
  if (rejected > 0 && options.rejects === undefined) {
    throw new ToolError(
      'no_match',
      `${rejected} of ${plural(hunks.length, 'hunk')} ${pluralNoun(hunks.length, 'does', 'do')} not match "${path}". Patch not applied.\n${reportHunks(outcome.hunks)}`,
      'Read the file and correct the lines of the rejected hunks.',
    )
  }
  if (outcome.text === base?.text && rejected === 0)
    throw new ToolError(
      'no_change',
      `The diff would not change "${path}".`,
      'Read the file again: it may already contain the change.',
    )
  return {
    path,
    base,
    text: outcome.text,
    hunks: outcome.hunks,
    change: await diffOf(path, base?.text ?? null, outcome.text, context.signal),
  }
}

async function baseOf(given: string, oldPath: string | undefined, context: ToolContext): Promise<TextDocument | null> {
  const { exists, relative } = await context.workspace.resolve(given, { missing: 'allow' })
  if (oldPath !== '/dev/null') return context.documents.read(given, context.signal)
  if (exists)
    throw new ToolError(
      'already_exists',
      `The diff creates the file (/dev/null), but "${relative}" already exists.`,
      'Create the diff against the current file.',
    )
  return null
}

/** Fails if the file was created since the diff was checked. */
function createFile(path: string, text: string, { documents, signal }: ToolContext): Promise<WriteOutcome> {
  return documents.write(path, text, signal, async ({ before }) => {
    if (before !== null)
      throw new ToolError(
        'already_exists',
        `The diff creates the file (/dev/null), but "${path}" now exists.`,
        'Create the diff against the current file.',
      )
  })
}

/** Applies a complete unified diff to one file, or nothing. Throws the errors of `planPatch`. */
export async function applyUnifiedPatch(given: string, patch: string, context: ToolContext): Promise<ToolOutput> {
  const { path, base, text, hunks, change } = await planUnifiedPatch(given, patch, context)
  const { text: clean } = normalizeText(text)
  const outcome = base
    ? await context.documents.edit(base, text, context.signal)
    : await createFile(path, clean, context)
  const { editId, note } = storeForUndo([{ path, before: outcome.before, after: outcome.after }], context)
  return {
    text: `${base ? 'Patched' : 'Created'} "${path}"${tabOnlyNote(outcome.unsaved)} (+${change.added} -${change.removed}).\n${reportHunks(hunks)}${note ? `\n${note}` : ''}`,
    view: { kind: 'diff', files: [change], editId, unsaved: outcome.unsaved, note },
  }
}

/** Returns one line per hunk. Rejected hunks are shown. */
export function reportHunks(hunks: UnifiedOutcome['hunks']): string {
  return hunks
    .map((result, index) => {
      const name = `Hunk ${index + 1}`
      if (result.kind === 'applied') {
        const moved =
          result.offset === 0 ? '' : `, offset ${result.offset} ${pluralNoun(Math.abs(result.offset), 'line')}`
        const fuzzy = result.fuzz === 0 ? '' : `, fuzz ${result.fuzz}`
        const loose = result.stage === 'exact' ? '' : `, ${describeLineStage(result.stage)}`
        return `${name} at line ${result.line}${moved}${fuzzy}${loose}`
      }
      const { hunk, reason } = result
      const lines = [hunk.header, ...hunk.lines.map(({ mark, text }) => mark + text)]
      const rest = lines.length > maxHunkLines ? [`… ${plural(lines.length - maxHunkLines, 'more line')}`] : []
      return [
        `${name} rejected: ${reason}`,
        ...lines.slice(0, maxHunkLines).map((line) => line.slice(0, 300).toWellFormed()),
        ...rest,
      ].join('\n')
    })
    .join('\n')
}

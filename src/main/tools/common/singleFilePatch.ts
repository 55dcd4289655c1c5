import { ToolError } from '../../../shared/errors.ts'
import { plural, pluralNoun } from '../../../shared/text/plural.ts'
import type { FileDiff } from '../../../shared/tools/tool.ts'
import { normalizeText } from '../../base/textFormat.ts'
import { planEdits, diffOf, planUnified } from '../../edit/editRunner.ts'
import type { EnvelopeSection } from '../../edit/envelope.ts'
import { describeLineStage } from '../../edit/lineBlocks.ts'
import type { Edit, ParameterNames } from '../../edit/locateEdit.ts'
import { detectPatchFormat, parsePatchSections } from '../../edit/patchFormats.ts'
import { parseBlocks } from '../../edit/searchReplace.ts'
import type { UnifiedOutcome } from '../../edit/unifiedApply.ts'
import { parseUnified } from '../../edit/unifiedParser.ts'
import type { TextDocument, WriteOutcome } from '../../workspace/documents.ts'
import type { ToolContext, ToolOutput, ToolPreview } from './toolDefinition.ts'
import { previewSections, runSections } from './envelopePatch.ts'
import { editText, previewEdit } from './textEdits.ts'
import { storeForUndo } from './undoableChanges.ts'
import { tabOnlyNote } from './unsavedNotices.ts'

// Applies patches of one file: search and replace blocks, the "*** Begin Patch" envelope, or a unified diff.

const names: ParameterNames = { oldText: 'the SEARCH part', newText: 'the REPLACE part' }

/** Returns the diff that `patchOneFile` would make. Throws the same errors. */
export async function previewOneFile(path: string, patch: string, context: ToolContext): Promise<ToolPreview> {
  switch (detectPatchFormat(patch)) {
    case 'blocks':
      return previewEdit(path, blockEdits(patch), names, context)
    case 'envelope':
      return previewSections([await onlySection(path, patch, context)], context)
    case 'unified': {
      const plan = await planUnifiedPatch(path, patch, context)
      return {
        view: { kind: 'diff', files: [plan.change], unsaved: plan.base?.unsaved, note: reportHunks(plan.hunks) },
      }
    }
  }
}

/** Applies a complete patch to one file, or nothing. Throws the errors of parsing, reading and matching. */
export async function patchOneFile(path: string, patch: string, context: ToolContext): Promise<ToolOutput> {
  switch (detectPatchFormat(patch)) {
    case 'blocks':
      return editText(path, blockEdits(patch), names, context)
    case 'envelope':
      return runSections([await onlySection(path, patch, context)], context)
    case 'unified':
      return applyUnifiedPatch(path, patch, context)
  }
}

/** Reports and shows what a patch would do, without writing. */
export async function dryRunOneFile(path: string, patch: string, context: ToolContext): Promise<ToolOutput> {
  const form = detectPatchFormat(patch)
  if (form === 'unified') {
    const plan = await planUnifiedPatch(path, patch, context, { rejects: 'allow' })
    const rejected = plan.hunks.filter(({ kind }) => kind === 'rejected').length
    const verdict =
      rejected === 0
        ? 'The whole patch would apply'
        : `${rejected} of ${plural(plan.hunks.length, 'hunk')} would be rejected, so the whole patch would fail`
    return dryRun(`${verdict}.\n${reportHunks(plan.hunks)}`, plan.change)
  }
  if (form === 'blocks') {
    const base = await context.documents.read(path, context.signal)
    const { change } = await planEdits(base.path, base.text, blockEdits(patch), names, context.signal)
    return dryRun('The whole patch would apply.', change)
  }
  const { view } = await previewSections([await onlySection(path, patch, context)], context)
  const change = view?.kind === 'diff' ? view.files[0] : undefined
  if (!change) throw new Error('A section without a diff.')
  return dryRun('The whole patch would apply.', change)
}

type Change = Awaited<ReturnType<typeof planEdits>>['change']

function dryRun(verdict: string, change: Change): ToolOutput {
  return {
    text: `Dry run: nothing was written. ${verdict}\n\n${change.diff}`.trimEnd(),
    view: { kind: 'diff', files: [change], note: 'Dry run: nothing was written.' },
  }
}

function blockEdits(patch: string): Edit[] {
  return (parseBlocks(patch) ?? []).map(({ search, replace, startLine }) => ({
    oldText: search,
    newText: replace,
    startLine,
  }))
}

/**
 * Returns the section that updates the named file.
 * @throws ToolError invalid_arguments if the envelope does anything else
 */
async function onlySection(given: string, patch: string, { workspace }: ToolContext): Promise<EnvelopeSection> {
  const sections = parsePatchSections(patch)
  const [section] = sections
  const what = 'This call patches one file. Patch not applied.'
  if (!section || sections.length > 1) {
    throw new ToolError(
      'invalid_arguments',
      `The patch has ${plural(sections.length, 'section')}. ${what}`,
      'Make one call for each file.',
    )
  }
  if (section.kind !== 'update' || section.moveTo !== undefined) {
    throw new ToolError(
      'invalid_arguments',
      `The patch adds, moves or deletes "${section.path}". ${what}`,
      'Pass only "*** Update File" with hunks. To create a file, write it completely.',
    )
  }
  const [named, own] = await Promise.all(
    [given, section.path].map(async (one) => (await workspace.resolve(one, { missing: 'allow' })).relative),
  )
  if (named !== own) {
    throw new ToolError(
      'invalid_arguments',
      `The patch is for "${section.path}", but the call names "${given}". ${what}`,
      'Use the same file in both.',
    )
  }
  return section
}

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
async function planUnifiedPatch(
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
async function applyUnifiedPatch(given: string, patch: string, context: ToolContext): Promise<ToolOutput> {
  const { path, base, text, hunks, change } = await planUnifiedPatch(given, patch, context)
  const { text: clean } = normalizeText(text)
  const outcome = base
    ? await context.documents.edit(base, text, context.signal)
    : await createFile(path, clean, context)
  const { editId, note } = storeForUndo([{ path, before: outcome.before, after: outcome.after }], context)
  return {
    text: `${base ? 'Patched' : 'Created'} "${path}" (+${change.added} -${change.removed}).${tabOnlyNote(outcome.unsaved)}\n${reportHunks(hunks)}${note ? `\n${note}` : ''}`,
    view: { kind: 'diff', files: [change], editId, unsaved: outcome.unsaved, note },
  }
}

/** Returns one line per hunk. Rejected hunks are shown. */
function reportHunks(hunks: UnifiedOutcome['hunks']): string {
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

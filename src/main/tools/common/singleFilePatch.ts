import { ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import { planEdits } from '../../edit/editRunner.ts'
import type { Edit, ParameterNames } from '../../edit/locateEdit.ts'
import type { EnvelopeSection } from '../../edit/envelope.ts'
import { detectPatchFormat, parsePatchSections } from '../../edit/patchFormats.ts'
import { parseBlocks } from '../../edit/searchReplace.ts'
import { editText, previewEdit } from './textEdits.ts'
import { previewSections, runSections } from './envelopePatch.ts'
import type { ToolContext, ToolOutput, ToolPreview } from '../toolDefinition.ts'
import { applyUnifiedPatch, planUnifiedPatch, reportHunks } from './unifiedPatch.ts'

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
export async function tryOneFile(path: string, patch: string, context: ToolContext): Promise<ToolOutput> {
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

import { ToolError } from '../../../shared/errors.ts'
import type { FileDiff } from '../../../shared/tools/tool.ts'
import { diffOf, planHunks } from '../../edit/editRunner.ts'
import type { EnvelopeSection } from '../../edit/envelope.ts'
import type { HunkLocation } from '../../edit/envelopeHunks.ts'
import type { TextDocument } from '../../workspace/documents.ts'
import { normalizeText } from '../../base/textFormat.ts'
import { readUndoText, changeWithoutDiff, type UndoText } from './undoableChanges.ts'
import type { ToolContext } from './toolDefinition.ts'
import { refuseUnsaved } from './refuseUnsaved.ts'

/** The planned change of one file. */
export type PlannedStep =
  | { kind: 'create'; path: string; text: string }
  | { kind: 'edit'; path: string; base: TextDocument; text: string; places: HunkLocation[] }
  | {
      kind: 'move'
      path: string
      to: string
      base: TextDocument
      kept: UndoText | null
      text: string
      places: HunkLocation[]
    }
  | { kind: 'delete'; path: string; kept: UndoText | null }

/**
 * Checks each section against the current files without changing them. A file may occur in only one section.
 * @throws ToolError errors of reading and `applyHunks`, already_exists, no_change, unsaved_changes, and
 *   invalid_arguments if a file occurs in two sections
 */
export async function planPatch(sections: readonly EnvelopeSection[], context: ToolContext): Promise<PlannedStep[]> {
  const steps: PlannedStep[] = []
  const taken = new Map<string, number>()
  const take = (path: string, at: number): void => {
    const other = taken.get(path)
    if (other !== undefined) {
      throw new ToolError(
        'invalid_arguments',
        `"${path}" is in two sections of the patch (lines ${other} and ${at}). Patch not applied.`,
        'Put all hunks for a file into one "*** Update File" section.',
      )
    }
    taken.set(path, at)
  }
  for (const section of sections) {
    context.signal.throwIfAborted()
    const step = await planSection(section, context)
    take(step.path, section.at)
    if (step.kind === 'move') take(step.to, section.at)
    steps.push(step)
  }
  return steps
}

async function planSection(section: EnvelopeSection, context: ToolContext): Promise<PlannedStep> {
  if (section.kind === 'add') {
    const path = await freePath(section.path, section.at, context)
    return { kind: 'create', path, text: normalizeText(section.text).text }
  }
  if (section.kind === 'delete') {
    const entry = await context.workspace.resolve(section.path, { symlink: 'keep' })
    if (entry.type === 'directory') {
      throw new ToolError(
        'is_directory',
        `"${entry.relative}" (line ${section.at} of the patch) is a directory; a patch deletes files only.`,
        'Delete its files one by one.',
      )
    }
    await refuseUnsaved(section.path, context)
    return { kind: 'delete', path: entry.relative, kept: await readUndoText(section.path, context) }
  }
  const base = await context.documents.read(section.path, context.signal)
  const { text, places } = await planHunks(base.path, base.text, section.hunks, context.signal)
  if (section.moveTo === undefined) {
    if (text === base.text)
      throw new ToolError(
        'no_change',
        `The update of "${base.path}" (line ${section.at} of the patch) would not change it.`,
        'Read the file again: it may already contain the change.',
      )
    return { kind: 'edit', path: base.path, base, text, places }
  }
  await refuseUnsaved(section.path, context)
  const to = await freePath(section.moveTo, section.at, context)
  return { kind: 'move', path: base.path, to, base, kept: await readUndoText(section.path, context), text, places }
}

async function freePath(given: string, at: number, context: ToolContext): Promise<string> {
  const { exists, relative } = await context.workspace.resolve(given, { missing: 'allow', symlink: 'keep' })
  if (exists)
    throw new ToolError(
      'already_exists',
      `"${relative}" (line ${at} of the patch) already exists.`,
      'Use "*** Update File" to change it, or choose another name.',
    )
  await context.workspace.resolve(given, { missing: 'allow' })
  await refuseUnsaved(given, context)
  return relative
}

/** Returns the diff of a step for the panel. */
export async function stepDiff(step: PlannedStep, { signal }: ToolContext): Promise<FileDiff> {
  switch (step.kind) {
    case 'create':
      return diffOf(step.path, null, step.text, signal)
    case 'edit':
      return diffOf(step.path, step.base.text, step.text, signal)
    case 'delete':
      return step.kept ? diffOf(step.path, step.kept.text, null, signal) : changeWithoutDiff(step.path, 'deleted')
    case 'move':
      return { ...(await diffOf(step.to, step.base.text, step.text, signal)), change: 'renamed', from: step.path }
  }
}

import path from 'node:path'
import { toFailure, ToolError } from '../../../shared/errors.ts'
import type { JournalChange } from '../../history/editJournal.ts'
import type { ToolContext } from './toolDefinition.ts'
import type { PlannedStep } from './patchPlan.ts'

/** A completed step and how to undo it. */
interface CompletedStep {
  /** Changes for the journal, or null if the text cannot be restored. */
  changes: JournalChange[] | null
  /** The change is in an open tab with unsaved changes, not on disk. */
  unsaved: boolean
  undo(): Promise<void>
}

/** The changes that a patch made. */
export interface PatchOutcome {
  /** Null if deleted content cannot be restored. */
  changes: JournalChange[] | null
  unsaved: string[]
}

/**
 * Executes a planned patch. If a step fails, the previous steps are undone and the error is thrown; it also reports
 * steps that could not be undone. Deletions come last, because they are the hardest to undo.
 */
export async function executePlan(steps: readonly PlannedStep[], context: ToolContext): Promise<PatchOutcome> {
  const ordered = steps.toSorted((a, b) => undoDifficulty(a) - undoDifficulty(b))
  const done: CompletedStep[] = []
  const unsaved: string[] = []
  try {
    for (const step of ordered) {
      context.signal.throwIfAborted()
      const result = await executeStep(step, context, (completed) => done.push(completed))
      if (result.unsaved) unsaved.push(step.path)
    }
  } catch (error) {
    await undoSteps(done, error)
    throw error
  }
  const changes = done.map((one) => one.changes)
  return { changes: changes.every((one) => one !== null) ? changes.flat() : null, unsaved }
}

/** Orders steps: 0 can always be undone, 1 is a deletion of restorable text, 2 is any other deletion. */
function undoDifficulty(step: PlannedStep): number {
  if (step.kind !== 'delete') return 0
  return typeof step.kept?.restorable === 'string' ? 1 : 2
}

async function undoSteps(done: readonly CompletedStep[], error: unknown): Promise<void> {
  const failed: string[] = []
  for (const one of done.toReversed()) {
    try {
      await one.undo()
    } catch (undoError) {
      failed.push(toFailure(undoError).message)
    }
  }
  if (failed.length === 0) return
  const { code, message } = toFailure(error)
  throw new ToolError(
    code,
    `${message} Some changes of the patch could not be undone: ${failed.join(' ')}`,
    'Read the files of the patch before you continue.',
    { cause: error },
  )
}

/** @param onDone called after each change of the step, so that a step that fails halfway is undone too */
async function executeStep(
  step: PlannedStep,
  context: ToolContext,
  onDone: (done: CompletedStep) => void,
): Promise<{ unsaved: boolean }> {
  const { documents, files, signal } = context
  switch (step.kind) {
    case 'create': {
      const made = await missingFolders(step.path, context)
      // Atomically, so that a killed process leaves no empty file.
      await documents.write(step.path, step.text, signal, async ({ before }) => {
        if (before !== null)
          throw new ToolError(
            'changed_on_disk',
            `Another program wrote "${step.path}" while Tizona created it.`,
            'Read it, then retry the patch.',
          )
      })
      onDone({
        changes: [{ path: step.path, before: null, after: step.text }],
        unsaved: false,
        undo: () => removeCreated(step.path, made, context),
      })
      return { unsaved: false }
    }
    case 'edit': {
      const { unsaved, before, after } = await documents.edit(step.base, step.text, signal)
      onDone({
        changes: [{ path: step.path, before, after }],
        unsaved,
        undo: () => restoreText(step.path, after, before ?? step.base.text, context),
      })
      return { unsaved }
    }
    case 'move': {
      const made = await missingFolders(step.to, context)
      await files.move(step.path, step.to, {}, signal)
      // Undo creates the old file anew, so it needs the original format.
      const before = step.kept?.restorable ?? null
      const changes =
        before === null
          ? null
          : [
              { path: step.path, before, after: null, mode: step.kept?.mode },
              { path: step.to, before: null, after: step.text },
            ]
      onDone({
        changes,
        unsaved: false,
        async undo() {
          await files.move(step.to, step.path)
          await removeFolders(made, context)
        },
      })
      if (step.text !== step.base.text) {
        const moved = await documents.read(step.to, signal)
        if (moved.text !== step.base.text)
          throw new ToolError(
            'changed_on_disk',
            `"${step.path}" has changed since it was read.`,
            'Read it again and retry the patch on the new text.',
          )
        await documents.edit(moved, step.text, signal)
        onDone({ changes: [], unsaved: false, undo: () => restoreText(step.to, step.text, step.base.text, context) })
      }
      return { unsaved: false }
    }
    case 'delete': {
      await files.delete(step.path, { expected: step.kept?.stamp })
      const before = step.kept?.restorable ?? null
      onDone({
        changes: before === null ? null : [{ path: step.path, before, after: null, mode: step.kept?.mode }],
        unsaved: false,
        async undo() {
          if (before === null)
            throw new ToolError(
              'io_error',
              `"${step.path}" was deleted, and its content is not text that can be restored.`,
            )
          await documents.write(step.path, before)
          if (step.kept) await files.setMode(step.path, step.kept.mode)
        },
      })
      return { unsaved: false }
    }
  }
}

async function restoreText(file: string, now: string, before: string, context: ToolContext): Promise<void> {
  const base = await context.documents.read(file)
  if (base.text !== now)
    throw new ToolError('conflict', `Another program changed "${file}" in the meantime, so it was not restored.`)
  await context.documents.edit(base, before)
}

async function removeCreated(file: string, folders: readonly string[], context: ToolContext): Promise<void> {
  await context.files.delete(file)
  await removeFolders(folders, context)
}

/** Returns the missing parent folders of a file, innermost first. */
async function missingFolders(file: string, context: ToolContext): Promise<string[]> {
  const missing: string[] = []
  for (let folder = path.posix.dirname(file); folder !== '.'; folder = path.posix.dirname(folder)) {
    if ((await context.workspace.resolve(folder, { missing: 'allow' })).exists) break
    missing.push(folder)
  }
  return missing
}

/** Removes folders that the patch created, if they are empty. */
async function removeFolders(folders: readonly string[], context: ToolContext): Promise<void> {
  for (const folder of folders) {
    if ((await context.files.list(folder)).length > 0) return
    await context.files.delete(folder, { recursive: true })
  }
}

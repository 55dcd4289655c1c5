import { ToolError } from '../../shared/errors.ts'
import type { RenamePlan } from '../../shared/language/symbolRename.ts'
import { textHash } from '../../shared/files/textHash.ts'
import {
  readFiles,
  undoableChanges,
  writeFileChanges,
  type FileChangeDeps,
  type FileTextChange,
  type OnLinkedUndo,
} from '../platform/editor/documents/fileChanges.ts'
import { occurrenceKey } from './renameStore.ts'

/** A completed rename, which can be undone as one step. */
export interface AppliedRename {
  files: number
  places: number
  /** Paths that had unsaved changes before and remain unsaved. */
  unsaved: string[]
  /** Restores every file. @throws ToolError `conflict`, without changing anything, if a file has changed since */
  undo(): Promise<void>
}

/**
 * Applies the selected changes of a plan in all files or in none. Changes open files in their buffers and saves those
 * without unsaved changes; changes other files on disk.
 * @param onLinkedUndo see `undoableChanges`
 * @throws ToolError `conflict` if a text differs from the preview
 */
export async function applyRename(
  parts: FileChangeDeps,
  plan: RenamePlan,
  chosen: ReadonlySet<string>,
  onLinkedUndo?: OnLinkedUndo,
): Promise<AppliedRename> {
  const changes: FileTextChange[] = []
  let places = 0
  const seen = await readFiles(
    parts,
    plan.files.map(({ path }) => path),
  )
  for (const { path, textHash: hash, occurrences } of plan.files) {
    const wanted = occurrences.filter((occurrence) => chosen.has(occurrenceKey(path, occurrence)))
    if (wanted.length === 0) continue
    const before = seen.get(path)?.text
    if (before === undefined || textHash(before) !== hash) throw changed(path)
    const lines = before.split('\n')
    // From the end, so that earlier columns stay valid.
    for (const { line, column, replacement, replaced = plan.name } of wanted.toReversed()) {
      const text = lines[line - 1]
      if (text === undefined || !text.startsWith(replaced, column - 1)) throw changed(path)
      lines[line - 1] = text.slice(0, column - 1) + replacement + text.slice(column - 1 + replaced.length)
    }
    places += wanted.length
    changes.push({ path, before, after: lines.join('\n') })
  }
  const unsaved = changes.filter(({ path }) => parts.documents.get(path)?.dirty).map(({ path }) => path)
  await writeFileChanges(parts, changes, { seen })
  return {
    files: changes.length,
    places,
    unsaved,
    ...undoableChanges(parts, changes, onLinkedUndo),
  }
}

function changed(path: string): ToolError {
  return new ToolError('conflict', `${path} has changed since the preview.`, 'Nothing was renamed. Rename again.')
}

import { ToolError } from '../../../shared/errors.ts'
import type { FileStamp } from '../../../shared/files/files.ts'
import type { TextFormat } from '../../../shared/files/textFormat.ts'
import type { FileDiff } from '../../../shared/tools/tool.ts'
import { plural } from '../../../shared/text/plural.ts'
import type { JournalChange } from '../../history/editJournal.ts'
import type { ToolContext } from './toolDefinition.ts'
import { log } from '../../base/log/log.ts'

/** Maximum size in bytes of a text that is stored for undo when its file is deleted or replaced. */
const maxKeptSize = 1024 * 1024

/** The text of a file before it is deleted or replaced. */
export interface UndoText {
  /** With `\n` line endings, for diffs and for restoring in the same format. */
  text: string
  format: TextFormat
  /** Content that restores the deleted file in its format. Null for encodings that new files do not have. */
  restorable: string | null
  /** Permission bits. */
  mode: number
  /** Identifies the file version, so that no other version is deleted or replaced. */
  stamp: FileStamp
}

/**
 * Reads a file before it is deleted or replaced. Returns null for folders, links, and files that are not text or too
 * large.
 */
export async function readUndoText(path: string, context: ToolContext): Promise<UndoText | null> {
  const entry = await context.workspace.resolve(path, { missing: 'allow', symlink: 'keep' })
  if (entry.type !== 'file') return null
  const { size, mode } = await context.files.stats(path)
  if (size > maxKeptSize) return null
  try {
    const { text, format, stamp } = await context.documents.read(path, context.signal)
    const mark = format.encoding === 'utf8bom' ? '\uFEFF' : ''
    return {
      text,
      format,
      restorable: format.encoding.startsWith('utf8') ? mark + text.replaceAll('\n', format.eol) : null,
      mode,
      stamp,
    }
  } catch (error) {
    // Not text, or not readable, so undo cannot restore it.
    if (error instanceof ToolError && ['binary_file', 'invalid_encoding', 'permission_denied'].includes(error.code))
      return null
    throw error
  }
}

/**
 * Stores replaced content for undo. Never fails, because the change is already made. `note` reports that undo is not
 * possible.
 */
export function storeForUndo(
  changes: JournalChange[],
  { callId, journal }: ToolContext,
): { editId?: string; note?: string } {
  try {
    const editId = journal.record(callId, changes)
    return editId === undefined
      ? { note: 'This cannot be undone: the previous content is too large to store.' }
      : { editId }
  } catch (error) {
    log.error('An edit could not be recorded for undo', error)
    return {
      note: 'This cannot be undone: the previous content could not be stored.',
    }
  }
}

/** Returns whether undo restores the exact bytes: it writes in the format of the existing file. */
export function sameFormat(one: UndoText, other: UndoText): boolean {
  return one.format.encoding === other.format.encoding && one.format.eol === other.format.eol
}

/** Returns a change without a diff, for binary files and folders. */
export function changeWithoutDiff(path: string, change: FileDiff['change'], from?: string): FileDiff {
  return { path, change, ...(from === undefined ? {} : { from }), diff: '', added: 0, removed: 0 }
}

/** Formats a number of lines, e.g. `2 lines`. */
export function lineCountText(count: number): string {
  return plural(count, 'line')
}

import { ToolError } from '../../../shared/errors.ts'
import type { FileStamp, TextFormat } from '../../../shared/files.ts'
import type { FileDiff } from '../../../shared/tool.ts'
import { plural } from '../../../shared/plural.ts'
import type { JournalChange } from '../../history/editJournal.ts'
import type { ToolContext } from '../tool.ts'
import { log } from '../../base/log/log.ts'

/** Bytes. A larger text is not kept when its file is deleted or replaced as a whole. */
const maxKeptSize = 1024 * 1024

/** The text of a file that is about to go. */
export interface KeptText {
  /** `\n` line ends, for diffs and for a file that keeps its format. */
  text: string
  format: TextFormat
  /** What to write so that the deleted file comes back in its own format; null for UTF-16, which a new file is not written in. */
  restorable: string | null
  /** Permission bits. */
  mode: number
  /** Of the file, so that another one is not deleted or replaced in its stead. */
  stamp: FileStamp
}

/** What can be shown and put back of a file that is about to go: null for folders, links, and what is no small text file. */
export async function textToKeep(path: string, context: ToolContext): Promise<KeptText | null> {
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
      restorable: format.encoding.startsWith('utf16') ? null : mark + text.replaceAll('\n', format.eol),
      mode,
      stamp,
    }
  } catch (error) {
    // Not text, or not ours to read: nothing that an undo could write back.
    if (error instanceof ToolError && ['binary_file', 'invalid_encoding', 'permission_denied'].includes(error.code))
      return null
    throw error
  }
}

/** Refuses with `unsaved_changes` when the user has unsaved text in a file, or in one inside a folder, that would go. */
export async function refuseUnsaved(path: string, context: ToolContext): Promise<void> {
  const entry = await context.workspace.resolve(path, { missing: 'allow', symlink: 'keep' })
  for (const file of await context.documents.openPaths(context.signal)) {
    const affected = file === entry.relative ? entry.type === 'file' : file.startsWith(`${entry.relative}/`)
    if (affected && (await hasUnsavedText(file, context))) {
      throw new ToolError(
        'unsaved_changes',
        `"${file}" is open with unsaved changes of the user.`,
        'Ask the user to save or revert it first.',
      )
    }
  }
}

async function hasUnsavedText(file: string, context: ToolContext): Promise<boolean> {
  try {
    return (await context.documents.read(file, context.signal)).unsaved
  } catch (error) {
    // What cannot be read as text cannot have been typed into either.
    if (error instanceof ToolError && error.code !== 'cancelled') return false
    throw error
  }
}

/**
 * Keeps what a change replaced, for the result's view. Never fails, since the change is made by now: what could not be kept cannot
 * be taken back, and `note` says so.
 */
export function keepForUndo(
  changes: JournalChange[],
  { callId, journal }: ToolContext,
): { editId?: string; note?: string } {
  try {
    const editId = journal.record(callId, changes)
    return editId === undefined
      ? { note: 'This cannot be taken back: what it replaced is too large to be kept.' }
      : { editId }
  } catch (error) {
    log.error('An edit could not be recorded for undo', error)
    return {
      note: 'This cannot be taken back: what it replaced could not be kept, because writing to the store failed.',
    }
  }
}

/** Whether a text put back over another would come out byte for byte: an undo writes in the format that it finds. */
export function sameFormat(one: KeptText, other: KeptText): boolean {
  return one.format.encoding === other.format.encoding && one.format.eol === other.format.eol
}

/** A change that has no text to show: of a binary file or a whole folder. */
export function wholeChange(path: string, change: FileDiff['change'], from?: string): FileDiff {
  return { path, change, ...(from === undefined ? {} : { from }), diff: '', added: 0, removed: 0 }
}

/** `1 line`, `2 lines` */
export function countLines(count: number): string {
  return plural(count, 'line')
}

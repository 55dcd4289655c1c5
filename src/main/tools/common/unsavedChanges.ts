import { ToolError } from '../../../shared/errors.ts'
import type { ToolContext } from './toolDefinition.ts'

// Notices and checks for files that are open in a tab with unsaved changes.

/** Notice above a text with unsaved changes, so that a model does not take it for the saved file. */
export const unsavedNotice =
  '[This is the text in the editor with unsaved changes by the user; the file on disk differs.]\n'

/** Suffix after the path in "Changed …" if only the open tab was edited. Empty if the file on disk was edited. */
export function tabOnlyNote(unsaved: boolean): string {
  return unsaved ? ' in the open tab only, because it has unsaved changes by the user; nothing was written to disk' : ''
}

/** Reports which files of a patch were edited only in their tabs. Empty if there are none. */
export function tabsOnlyNote(paths: readonly string[]): string {
  return paths.length === 0
    ? ''
    : `Changed only in the open tab, which has unsaved changes by the user: ${paths.join(', ')}.`
}

/** @throws ToolError unsaved_changes if the file, or a file in the folder, is open with unsaved changes */
export async function refuseUnsaved(path: string, context: ToolContext): Promise<void> {
  const entry = await context.workspace.resolve(path, { missing: 'allow', symlink: 'keep' })
  for (const file of await context.documents.listOpenPaths(context.signal)) {
    const affected = file === entry.relative ? entry.type === 'file' : file.startsWith(`${entry.relative}/`)
    if (affected && (await hasUnsavedText(file, context))) {
      throw new ToolError(
        'unsaved_changes',
        `"${file}" is open with unsaved changes by the user.`,
        'Ask the user to save or revert it first.',
      )
    }
  }
}

async function hasUnsavedText(file: string, context: ToolContext): Promise<boolean> {
  try {
    return (await context.documents.read(file, context.signal)).unsaved
  } catch (error) {
    // A file that is not readable as text has no unsaved changes.
    if (error instanceof ToolError && error.code !== 'cancelled') return false
    throw error
  }
}

import { ToolError } from '../../../shared/errors.ts'
import type { ToolContext } from './toolDefinition.ts'

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

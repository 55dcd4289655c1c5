import { ToolError } from '../../../shared/errors.ts'
import type { Documents } from '../../workspace/documents.ts'

/** Returns the text of a file, or of its tab; null if there is no file, undefined if it cannot be read. */
export async function currentText(
  documents: Pick<Documents, 'read'>,
  path: string,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  try {
    return (await documents.read(path, signal)).text
  } catch (error) {
    if (error instanceof ToolError) return error.code === 'not_found' ? null : undefined
    throw error
  }
}

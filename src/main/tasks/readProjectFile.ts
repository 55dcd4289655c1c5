import { ToolError } from '../../shared/errors.ts'
import { readSmallFile } from '../base/smallFile.ts'
import type { Workspace } from '../workspace/containment.ts'

/** Reads a small file of the folder. Null if it is missing, too large or unreadable, or a link that leads outside. */
export async function readProjectFile(workspace: Pick<Workspace, 'resolve'>, path: string): Promise<string | null> {
  try {
    const { absolute } = await workspace.resolve(path)
    return await readSmallFile(absolute)
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

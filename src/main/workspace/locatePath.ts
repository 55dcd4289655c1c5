import { stat } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { LocatedPath } from '../../shared/files.ts'
import { errorCode, fileError } from './fileErrors.ts'
import type { Workspace } from './containment.ts'

/**
 * What an absolute path is, and where it is in the open folder.
 * @throws ToolError `invalid_path` for a relative path, `permission_denied` where it cannot be looked at
 */
export async function locatePath(given: string, workspace: Workspace | null): Promise<LocatedPath> {
  if (given.includes('\0') || !path.isAbsolute(given))
    throw new ToolError('invalid_path', `"${given}" is not an absolute path.`, 'Name the whole path.')
  try {
    const kind = (await stat(given)).isDirectory() ? 'folder' : 'file'
    return { path: given, kind, inWorkspace: workspace && (await pathInside(workspace, given)) }
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { path: given, kind: 'missing', inWorkspace: null }
    throw fileError(error, `look at "${given}"`)
  }
}

async function pathInside(workspace: Workspace, given: string): Promise<string | null> {
  try {
    return (await workspace.resolve(given)).relative
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

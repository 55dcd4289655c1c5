import { stat } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { LocatedPath } from '../../shared/files/files.ts'
import { errorCode, fileError } from '../base/fileErrors.ts'
import type { Workspace } from './containment.ts'

/**
 * Returns the kind of an absolute path and its path relative to the open folder.
 * @throws ToolError `invalid_path` for a relative path, `permission_denied` if the path is not accessible
 */
export async function locatePath(requested: string, workspace: Workspace | null): Promise<LocatedPath> {
  if (requested.includes('\0') || !path.isAbsolute(requested))
    throw new ToolError('invalid_path', `"${requested}" is not an absolute path.`, 'Use the full path.')
  try {
    const kind = (await stat(requested)).isDirectory() ? 'folder' : 'file'
    return { path: requested, kind, inWorkspace: workspace && (await pathInside(workspace, requested)) }
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { path: requested, kind: 'missing', inWorkspace: null }
    throw fileError(error, `access "${requested}"`)
  }
}

async function pathInside(workspace: Workspace, requested: string): Promise<string | null> {
  try {
    return (await workspace.resolve(requested)).relative
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

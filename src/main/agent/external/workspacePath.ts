import { resolve } from 'node:path'
import { relativeIn, type WorkspaceRoots } from '../../base/workspaceRoots.ts'

/** Returns the workspace path of a path of an agent, absolute or relative to where it was started; absolute outside. */
export function workspacePath(workspace: WorkspaceRoots, path: string): string {
  const absolute = resolve(workspace.root, path)
  return relativeIn(workspace, absolute) ?? absolute
}

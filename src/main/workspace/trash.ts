import { ToolError } from '../../shared/errors.ts'
import type { TrashOutcome } from '../../shared/files.ts'
import { pathLocks, type PathLocks } from '../base/pathLocks.ts'
import type { Workspace } from './containment.ts'

/**
 * Moves an entry of the workspace to the system's trash. A link is moved, not its target.
 * @param move the platform's implementation; rejects with the system's reason
 * @throws ToolError like `Workspace.resolve`; `invalid_path` for the workspace folder. A refusal by the system is
 * returned, not thrown.
 */
export async function moveToTrash(
  workspace: Workspace,
  path: string,
  move: (absolute: string) => Promise<void>,
  locks: PathLocks = pathLocks,
): Promise<TrashOutcome> {
  const { absolute, relative } = await workspace.resolve(path, { symlink: 'keep', below: 'all' })
  if (relative === '.')
    throw new ToolError('invalid_path', 'The workspace folder itself cannot be deleted.', 'Pass a path inside it.')
  return locks.run([absolute], async () => {
    try {
      await move(absolute)
      return { trashed: true }
    } catch (error) {
      return { trashed: false, reason: error instanceof Error ? error.message : String(error) }
    }
  })
}

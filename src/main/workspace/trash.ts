import { ToolError } from '../../shared/errors.ts'
import type { TrashOutcome } from '../../shared/files/files.ts'
import type { DeletedEntries } from './deletedEntries.ts'
import { inFolder } from '../base/heldFolder.ts'
import { pathLocks, type PathLocks } from '../base/pathLocks.ts'
import type { Workspace } from './containment.ts'

/**
 * Moves an entry of the workspace to the system's trash, and keeps a copy for undoing. A link is moved, not its target.
 * @param move the platform's implementation; rejects with the system's reason
 * @throws ToolError like `Workspace.resolve`; `invalid_path` for the workspace folder. A refusal by the system is
 * returned, not thrown.
 */
export async function moveToTrash(
  { workspace, deleted }: { workspace: Workspace; deleted: DeletedEntries },
  path: string,
  move: (absolute: string) => Promise<void>,
  locks: PathLocks = pathLocks,
): Promise<TrashOutcome> {
  const { absolute, relative } = await workspace.resolve(path, { symlink: 'keep', below: 'all' })
  if (relative === '.')
    throw new ToolError('invalid_path', 'The workspace folder itself cannot be deleted.', 'Pass a path inside it.')
  return locks.run([absolute], async () => {
    const kept = await deleted.keep(path)
    try {
      // The platform takes a path. Comparing its folder just before leaves only a short time for a swap.
      await inFolder(absolute, () => move(absolute))
      return { trashed: true, kept }
    } catch (error) {
      if ('id' in kept) await deleted.forget(kept.id)
      return { trashed: false, reason: error instanceof Error ? error.message : String(error) }
    }
  })
}

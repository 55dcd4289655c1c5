import { mkdir, readlink, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises'
import path from 'node:path'
import { pathLocks } from '../base/pathLocks.ts'
import { ToolError } from '../../shared/errors.ts'
import type { RestoreTarget } from '../history/checkpoints/checkpoints.ts'
import type { WindowDocuments } from './documents.ts'
import { errorCode, fileError } from './fileErrors.ts'
import type { FileOperations } from './fileOperations.ts'
import { temporaryBeside } from './textFile.ts'
import type { ResolvedPath, Workspace } from './containment.ts'

/**
 * How a checkpoint reaches the workspace. A path must lead where it says: one that now goes through a link is refused.
 * @param onChanged told of each path once it has changed
 */
export function createRestoreTarget(
  workspace: Workspace,
  documents: WindowDocuments,
  files: FileOperations,
  onChanged: (path: string) => void,
): RestoreTarget {
  async function at(given: string): Promise<ResolvedPath> {
    const place = await workspace.resolve(given, { missing: 'allow', symlink: 'keep' })
    if (place.relative !== given) {
      throw new ToolError(
        'refused',
        `"${given}" now leads to "${place.relative}" through a link.`,
        'Remove the link first.',
      )
    }
    return place
  }

  /** Throws `unsaved_changes`: what the user has typed is worth more than what stood there. */
  async function refuseUnsaved(given: string): Promise<void> {
    if (!(await documents.openPaths()).includes(given)) return
    const unsaved = await documents.read(given).then(
      (document) => document.unsaved,
      (error: unknown) => {
        // What cannot be read as text cannot have been typed into either.
        if (error instanceof ToolError) return false
        throw error
      },
    )
    if (unsaved)
      throw new ToolError(
        'unsaved_changes',
        `"${given}" is open with unsaved changes of the user.`,
        'Save or revert it first.',
      )
  }

  return {
    exclusively: (given, act) => pathLocks.run([path.join(workspace.root, given)], act),
    async write(given, content, mode) {
      await at(given)
      await documents.putBack(given, content, mode)
      onChanged(given)
    },
    async link(given, target) {
      const { absolute, type } = await at(given)
      await refuseUnsaved(given)
      if (type === 'symlink' && (await readlink(absolute)) === target) return
      if (type === 'directory')
        throw new ToolError('is_directory', `"${given}" is a folder now.`, 'Move it away first.')
      const temporary = temporaryBeside(absolute)
      try {
        await mkdir(path.dirname(absolute), { recursive: true })
        await symlink(target, temporary)
        await rename(temporary, absolute)
      } catch (error) {
        await rm(temporary, { force: true })
        throw fileError(error, `write the link "${given}"`)
      }
      onChanged(given)
    },
    async makeFolder(given) {
      await at(given)
      await files.createDirectory(given)
    },
    async remove(given) {
      const { absolute } = await at(given)
      await refuseUnsaved(given)
      try {
        await unlink(absolute)
      } catch (error) {
        throw fileError(error, `remove "${given}"`)
      }
      onChanged(given)
    },
    async removeFolder(given) {
      const { absolute } = await at(given)
      try {
        await rmdir(absolute)
        return true
      } catch (error) {
        const code = errorCode(error)
        if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
        throw fileError(error, `remove the folder "${given}"`)
      }
    },
  }
}

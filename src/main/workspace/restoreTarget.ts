import { readlink, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises'
import { absoluteIn, isTopFolder } from '../base/workspaceRoots.ts'
import { inFolder } from '../base/heldFolder.ts'
import { isPlaceholder } from '../base/placeholderFolder.ts'
import { pathLocks } from '../base/pathLocks.ts'
import { ToolError } from '../../shared/errors.ts'
import type { RestoreTarget } from '../history/checkpoints/checkpoints.ts'
import { refuseWorkspaceFolder } from './deleteEntry.ts'
import type { WindowDocuments } from './documents.ts'
import { errorCode, fileError } from '../base/fileErrors.ts'
import type { FileOperations } from './fileOperations.ts'
import { diskFileSystem } from './fileSystem.ts'
import { temporaryPathFor, withParents } from './textFile.ts'
import type { ResolvedPath, Workspace } from './containment.ts'

/**
 * Creates the write access needed to restore a checkpoint. Rejects a path that now leads through a link.
 * @param onChanged receives each path after it has changed
 */
export function createRestoreTarget(
  workspace: Workspace,
  documents: WindowDocuments,
  files: FileOperations,
  onChanged: (path: string) => void,
): RestoreTarget {
  async function resolveWithoutLinks(requested: string): Promise<ResolvedPath> {
    const resolved = await workspace.resolve(requested, { missing: 'allow', symlink: 'keep' })
    if (resolved.relative !== requested) {
      throw new ToolError(
        'refused',
        `"${requested}" now leads to "${resolved.relative}" through a link.`,
        'Remove the link first.',
      )
    }
    return resolved
  }

  /** @throws ToolError `unsaved_changes` for a dirty tab, because a restore must not discard typed text */
  async function refuseUnsaved(requested: string): Promise<void> {
    if (!(await documents.listOpenPaths()).includes(requested)) return
    const unsaved = await documents.read(requested).then(
      (document) => document.unsaved,
      (error: unknown) => {
        // A file that cannot be read as text has no unsaved text.
        if (error instanceof ToolError) return false
        throw error
      },
    )
    if (unsaved)
      throw new ToolError(
        'unsaved_changes',
        `"${requested}" has unsaved changes in an open tab.`,
        'Save or revert it first.',
      )
  }

  return {
    exclusively: (requested, act) => pathLocks.run([absoluteIn(workspace, requested)], act),
    async write(requested, content, mode) {
      await resolveWithoutLinks(requested)
      await documents.restoreVersion(requested, content, mode)
      onChanged(requested)
    },
    async link(requested, target) {
      refuseWorkspaceFolder(workspace, requested)
      const { absolute, type } = await resolveWithoutLinks(requested)
      await refuseUnsaved(requested)
      if (type === 'symlink' && (await readlink(absolute)) === target) return
      if (type === 'directory')
        throw new ToolError('is_directory', `"${requested}" is a folder now.`, 'Rename or move it first.')
      try {
        await withParents(absolute, diskFileSystem, (entry) => replaceByLink(entry, target))
      } catch (error) {
        throw fileError(error, `The link "${requested}" could not be written.`)
      }
      onChanged(requested)
    },
    async makeFolder(requested) {
      const { absolute } = await resolveWithoutLinks(requested)
      if (!(await isPlaceholder(absolute))) await files.createDirectory(requested)
    },
    async remove(requested) {
      refuseWorkspaceFolder(workspace, requested)
      const { absolute } = await resolveWithoutLinks(requested)
      await refuseUnsaved(requested)
      try {
        await inFolder(absolute, (entry) => unlink(entry))
      } catch (error) {
        throw fileError(error, `"${requested}" could not be removed.`)
      }
      onChanged(requested)
    },
    async removeFolder(requested) {
      if (isTopFolder(workspace, requested)) return false
      const { absolute } = await resolveWithoutLinks(requested)
      try {
        await inFolder(absolute, (entry) => rmdir(entry))
        return true
      } catch (error) {
        const code = errorCode(error)
        if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
        if (code === 'ENOENT') return true
        throw fileError(error, `The folder "${requested}" could not be removed.`)
      }
    },
  }
}

async function replaceByLink(entry: string, target: string): Promise<void> {
  const temporary = temporaryPathFor(entry)
  try {
    await symlink(target, temporary)
    await rename(temporary, entry)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

import { randomBytes } from 'node:crypto'
import { readdir, realpath, rm } from 'node:fs/promises'
import path from 'node:path'
import { ToolError, toFailure } from '../../shared/errors.ts'
import type { KeptEntry, TrashOutcome } from '../../shared/files/files.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { plural } from '../../shared/text/plural.ts'
import { fileError } from '../base/fileErrors.ts'
import { inFolder, type HeldFolder } from '../base/heldFolder.ts'
import { makeFolder } from '../base/makeFolder.ts'
import { pathLocks, type PathLocks } from '../base/pathLocks.ts'
import { isRunning, thisProcess } from '../base/processIdentity.ts'
import type { Workspace } from './containment.ts'
import { refuseWorkspaceFolder } from './deleteEntry.ts'
import { diskFileSystem, type FileSystem } from './fileSystem.ts'
import { withParents } from './textFile.ts'
import { copyWhole } from './transferEntries.ts'

/*
 * Copies of entries that the user deletes, so that the explorer can undo it: no system can restore from its trash by
 * API. The copies are in this process's folder in the user data folder. They are removed when the workspace closes, and
 * those of a killed process when a workspace is next opened.
 *
 * deleted/<process>/<id>/<name>
 */
export interface DeletedEntries {
  /** Copies an entry before it is deleted. Never throws: a deletion must not fail because it cannot be undone. */
  keep(requested: string): Promise<KeptEntry>
  /**
   * Restores a kept entry to its path and forgets it.
   * @returns its path
   * @throws ToolError `not_found` if it is no longer kept, `already_exists`
   */
  restore(id: string): Promise<string>
  /** Removes the copy of an entry that was not deleted. */
  forget(id: string): Promise<void>
  close(): Promise<void>
}

export interface DeletedLimits {
  /** Maximum bytes of one deletion, and of all kept entries. */
  entry: number
  total: number
  /** Maximum number of files and folders in one deletion. */
  count: number
}

const megabyte = 1024 * 1024
const defaultLimits: DeletedLimits = { entry: 256 * megabyte, total: 1024 * megabyte, count: 20_000 }

interface Kept {
  path: string
  folder: string
  bytes: number
}

export interface DeletedEntriesOptions {
  workspace: Workspace
  userData: string
  limits?: DeletedLimits
  fileSystem?: FileSystem
  locks?: PathLocks
}

export function createDeletedEntries({
  workspace,
  userData,
  limits = defaultLimits,
  fileSystem = diskFileSystem,
  locks = pathLocks,
}: DeletedEntriesOptions): DeletedEntries {
  const { pid, start } = thisProcess()
  const own = path.join(userData, 'deleted', `${pid}-${start}-${randomBytes(4).toString('hex')}`)
  const kept = new Map<string, Kept>()
  let count = 0

  async function remove(id: string): Promise<void> {
    const found = kept.get(id)
    kept.delete(id)
    if (found) await rm(found.folder, { recursive: true, force: true })
  }

  /** Removes the oldest copies until `bytes` fit. */
  async function makeRoom(bytes: number): Promise<void> {
    let total = [...kept.values()].reduce((sum, each) => sum + each.bytes, bytes)
    for (const [id, each] of kept) {
      if (total <= limits.total) return
      total -= each.bytes
      await remove(id)
    }
  }

  async function copy(requested: string, id: string): Promise<void> {
    const { absolute, relative } = await workspace.resolve(requested, { symlink: 'keep', below: 'all' })
    refuseWorkspaceFolder(workspace, relative)
    const bytes = await measure(absolute, limits, fileSystem)
    await makeRoom(bytes)
    await makeFolder(path.join(own, id))
    const folder = await realpath(path.join(own, id))
    const name = path.basename(absolute)
    try {
      await inFolder(absolute, (_entry, from) =>
        inFolder(path.join(folder, name), (_copy, to) =>
          copyWhole({ folder: from, name }, { folder: to, name }, relative, fileSystem),
        ),
      )
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw fileError(error, `"${relative}" could not be kept for undo.`)
    }
    kept.set(id, { path: relative, folder, bytes })
  }

  return {
    async keep(requested) {
      count += 1
      const id = String(count)
      try {
        await copy(requested, id)
        return { id }
      } catch (error) {
        return { reason: toFailure(error).message }
      }
    },

    async restore(id) {
      const found = kept.get(id)
      if (!found)
        throw new ToolError('not_found', 'The deleted file or folder is no longer stored.', 'Look for it in the trash.')
      const target = await workspace.resolve(found.path, { missing: 'allow', symlink: 'keep' })
      return locks.run([target.absolute], async () => {
        const { absolute, relative, exists } = await workspace.resolve(found.path, {
          missing: 'allow',
          symlink: 'keep',
        })
        if (exists)
          throw new ToolError('already_exists', `"${relative}" exists again.`, 'Move it elsewhere, then undo again.')
        const name = path.basename(absolute)
        const source = path.join(found.folder, path.basename(found.path))
        try {
          await inFolder(source, (_entry, from: HeldFolder) =>
            withParents(absolute, fileSystem, (_copy, to) =>
              copyWhole({ folder: from, name: path.basename(source) }, { folder: to, name }, relative, fileSystem),
            ),
          )
        } catch (error) {
          throw fileError(error, `"${relative}" could not be restored.`)
        }
        await remove(id)
        return relative
      })
    },

    forget: remove,

    async close() {
      kept.clear()
      await rm(own, { recursive: true, force: true })
    },
  }
}

/** Removes the copies of dead processes. */
export async function sweepDeletedEntries(userData: string): Promise<void> {
  const folder = path.join(userData, 'deleted')
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names) {
    const [, pid, start = ''] = /^(\d+)-(\d*)-[0-9a-f]+$/.exec(name) ?? []
    if (pid === undefined || isRunning({ pid: Number(pid), start })) continue
    await rm(path.join(folder, name), { recursive: true, force: true })
  }
}

/** Adds up the sizes of the files in an entry. @throws ToolError `too_large` beyond the limits */
async function measure(absolute: string, limits: DeletedLimits, fileSystem: FileSystem): Promise<number> {
  let bytes = 0
  let count = 0
  const open = [absolute]
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const stats = await fileSystem.lstat(entry)
    count += 1
    if (stats.isFile()) bytes += stats.size
    if (bytes > limits.entry)
      throw new ToolError('too_large', `It is larger than ${formatSize(limits.entry)}.`, 'Look for it in the trash.')
    if (count > limits.count)
      throw new ToolError(
        'too_large',
        `It contains more than ${plural(limits.count, 'file')} and folders.`,
        'Look for it in the trash.',
      )
    if (stats.isDirectory()) for (const name of await fileSystem.readdir(entry)) open.push(path.join(entry, name))
  }
  return bytes
}

/**
 * Moves an entry of the workspace to the system's trash, and keeps a copy for undo. Moves a link, not its target.
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
      // The platform takes a path. Comparing its folder just before leaves only a short race.
      await inFolder(absolute, () => move(absolute))
      return { trashed: true, kept }
    } catch (error) {
      if ('id' in kept) await deleted.forget(kept.id)
      return { trashed: false, reason: error instanceof Error ? error.message : String(error) }
    }
  })
}

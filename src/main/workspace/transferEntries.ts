import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { FileStamp } from '../../shared/files/files.ts'
import { errorCode, fileError } from '../base/fileErrors.ts'
import { inFolder, type HeldFolder, descriptorPath, readFlags } from '../base/heldFolder.ts'
import type { WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { ResolvedPath, Workspace } from './containment.ts'
import { deleteTree } from './deleteTree.ts'
import { requireStamp } from './fileStamp.ts'
import type { FileSystem } from './fileSystem.ts'
import { temporaryPathFor, withParents } from './textFile.ts'

export interface TransferOptions {
  /** Replaces a file at the destination. Folders are never replaced. */
  overwrite?: boolean
  /** Expected stamp of the replaced file. @throws ToolError `changed_on_disk` if its stamp is different */
  replaces?: FileStamp
}

export interface TransferOutcome {
  from: string
  to: string
  directory: boolean
  /** Whether a file at the destination was replaced. */
  replaced: boolean
  /** Sockets, pipes and devices that were not copied, relative to the workspace. */
  skipped: string[]
}

/** Services that a move or copy needs. */
interface TransferDeps {
  workspace: Workspace
  fileSystem: FileSystem
}

/** Resolves and checks the destination of a move or copy. @throws ToolError like `FileOperations.move` */
export async function checkTransfer(
  { workspace, fileSystem }: TransferDeps,
  action: 'move' | 'copy',
  source: ResolvedPath,
  destination: string,
  overwrite: boolean,
): Promise<{ target: ResolvedPath; replaced: boolean }> {
  refuseRoot(workspace, source, action)
  const resolved = await workspace.resolve(destination, { missing: 'allow', symlink: 'keep' })
  refuseRoot(workspace, resolved, action)
  // Resolving returns an existing entry in its spelling on disk.
  const target =
    action === 'move' && resolved.absolute === source.absolute ? respelled(resolved, destination) : resolved
  if (target.absolute === source.absolute)
    throw new ToolError(
      'invalid_path',
      `Source and destination are the same: "${source.relative}".`,
      'Choose another destination.',
    )
  if (source.type === 'directory' && target.absolute.startsWith(source.absolute + path.sep)) {
    throw new ToolError(
      'invalid_path',
      action === 'move'
        ? `Cannot move the folder "${source.relative}" into itself ("${target.relative}").`
        : `Cannot copy the folder "${source.relative}" into itself ("${target.relative}").`,
      'Choose a destination outside it.',
    )
  }
  // If the file system ignores case, `readme` -> `README` is the same entry: a rename that replaces nothing.
  if (!target.exists || (await sameEntry(fileSystem, source, target))) return { target, replaced: false }
  if (target.type === 'directory' || source.type === 'directory') {
    throw new ToolError(
      'already_exists',
      `"${target.relative}" already exists, and folders are never replaced.`,
      target.type === 'directory'
        ? `To put it inside, use "${target.relative}/${path.basename(source.relative)}".`
        : 'Choose another destination, or delete the file first.',
    )
  }
  if (!overwrite)
    throw new ToolError(
      'already_exists',
      `"${target.relative}" already exists.`,
      'Choose another destination, or repeat with overwrite: true to replace it.',
    )
  return { target, replaced: true }
}

/**
 * Returns a path with its last name as requested, if that differs from the one on disk only in case or Unicode form.
 */
function respelled(resolved: ResolvedPath, requested: string): ResolvedPath {
  const name = path.basename(requested)
  const same = (one: string) => one.normalize('NFC').toLowerCase()
  const [absolute, relative] = [path.dirname(resolved.absolute), path.posix.dirname(resolved.relative)]
  if (same(name) !== same(path.basename(resolved.absolute))) return resolved
  return { ...resolved, absolute: path.join(absolute, name), relative: path.posix.join(relative, name) }
}

function refuseRoot({ folders }: WorkspaceRoots, place: ResolvedPath, action: 'move' | 'copy'): void {
  if (place.relative === '.')
    throw new ToolError(
      'invalid_path',
      action === 'move'
        ? 'The workspace folder itself cannot be moved or replaced.'
        : 'The workspace folder itself cannot be copied or replaced.',
      'Pass a path inside it.',
    )
  if (folders?.some(({ name }) => name === place.relative))
    throw new ToolError(
      'invalid_path',
      `"${place.relative}" is a folder of the workspace and cannot be ${action === 'move' ? 'moved or replaced' : 'copied or replaced'} here.`,
      'Pass a path inside it. The user can remove it from the workspace.',
    )
}

async function sameEntry(fileSystem: FileSystem, source: ResolvedPath, target: ResolvedPath): Promise<boolean> {
  const folded = (absolute: string) => absolute.normalize('NFC').toLowerCase()
  if (folded(source.absolute) !== folded(target.absolute)) return false
  const [one, other] = await Promise.all(
    [source, target].map(({ absolute }) => fileSystem.lstat(absolute, { bigint: true })),
  )
  return one?.ino === other?.ino && one?.dev === other?.dev
}

/** Moves an entry; see `FileOperations.move`. The caller holds the locks on both paths. */
export async function moveEntry(
  deps: TransferDeps,
  source: ResolvedPath,
  destination: string,
  options: TransferOptions,
  signal?: AbortSignal,
): Promise<TransferOutcome> {
  const { fileSystem } = deps
  const { target, replaced } = await checkTransfer(deps, 'move', source, destination, options.overwrite ?? false)
  signal?.throwIfAborted()
  return transfer(deps, 'move', source, { target, replaced, options }, async (from, to) => {
    try {
      await fileSystem.rename(from.folder.entry(from.name), to.folder.entry(to.name))
      return []
    } catch (error) {
      if (errorCode(error) !== 'EXDEV') throw error
    }
    const skipped = await copyWhole(from, to, source.relative, fileSystem, signal)
    if (source.type === 'directory') await deleteTree(from.folder, source.absolute, source.relative, fileSystem)
    else await fileSystem.unlink(from.folder.entry(from.name))
    return skipped
  })
}

/** Copies an entry; see `FileOperations.copy`. The caller holds the lock on the destination. */
export async function copyEntry(
  deps: TransferDeps,
  source: ResolvedPath,
  destination: string,
  options: TransferOptions,
  signal?: AbortSignal,
): Promise<TransferOutcome> {
  const checked = await checkTransfer(deps, 'copy', source, destination, options.overwrite ?? false)
  return transfer(deps, 'copy', source, { ...checked, options }, (from, to) =>
    copyWhole(from, to, source.relative, deps.fileSystem, signal),
  )
}

interface Destination {
  target: ResolvedPath
  replaced: boolean
  options: TransferOptions
}

/** Runs `act` with both entries while their folders are held. @param act returns the paths that were not transferred */
async function transfer(
  { fileSystem }: TransferDeps,
  action: 'move' | 'copy',
  source: ResolvedPath,
  { target, replaced, options: { replaces } }: Destination,
  act: (from: HeldEntry, to: HeldEntry) => Promise<string[]>,
): Promise<TransferOutcome> {
  const names = { from: path.basename(source.absolute), to: path.basename(target.absolute) }
  try {
    const skipped = await inFolder(source.absolute, (_source, from: HeldFolder) =>
      withParents(target.absolute, fileSystem, async (entry, to) => {
        if (replaced && replaces !== undefined) await requireStamp(entry, target.relative, replaces, fileSystem)
        return act({ folder: from, name: names.from }, { folder: to, name: names.to })
      }),
    )
    return { from: source.relative, to: target.relative, directory: source.type === 'directory', replaced, skipped }
  } catch (error) {
    throw fileError(
      error,
      action === 'move'
        ? `"${source.relative}" could not be moved to "${target.relative}".`
        : `"${source.relative}" could not be copied to "${target.relative}".`,
    )
  }
}

/** Copies to a temporary name next to the target and renames, so that the target is never incomplete. */
export async function copyWhole(
  from: HeldEntry,
  to: HeldEntry,
  relative: string,
  fileSystem: FileSystem,
  signal?: AbortSignal,
): Promise<string[]> {
  const target = to.folder.entry(to.name)
  const temporary = temporaryPathFor(target)
  try {
    const copy = { folder: to.folder, name: path.basename(temporary) }
    const skipped = await copyTree(from, copy, relative, fileSystem, signal)
    await fileSystem.rename(temporary, target)
    return skipped
  } catch (error) {
    await removePartialCopy({ folder: to.folder, name: path.basename(temporary) }, fileSystem)
    throw error
  }
}

async function removePartialCopy({ folder, name }: HeldEntry, fileSystem: FileSystem): Promise<void> {
  const entry = folder.entry(name)
  try {
    if ((await fileSystem.lstat(entry)).isDirectory()) await deleteTree(folder, name, name, fileSystem)
    else await fileSystem.unlink(entry)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

/** An entry in a held folder. */
interface HeldEntry {
  folder: HeldFolder
  name: string
}

/**
 * Copies a file, a symlink (not its target) or a folder with everything inside it, including permission bits. If it
 * fails, the caller removes the partial copy.
 * @param relative path of the source, for the result
 * @returns paths of skipped sockets, pipes and devices, relative like the source
 */
async function copyTree(
  source: HeldEntry,
  target: HeldEntry,
  relative: string,
  fileSystem: FileSystem,
  signal?: AbortSignal,
): Promise<string[]> {
  signal?.throwIfAborted()
  const from = source.folder.entry(source.name)
  const to = target.folder.entry(target.name)
  const stats = await fileSystem.lstat(from)
  if (stats.isSymbolicLink()) {
    await fileSystem.symlink(await fileSystem.readlink(from), to)
    return []
  }
  if (stats.isFile()) {
    await copyFile(from, to, fileSystem)
    return []
  }
  if (!stats.isDirectory()) return [relative]

  await fileSystem.mkdir(to)
  const inside = await source.folder.enter(source.name)
  try {
    const copy = await target.folder.enter(target.name)
    try {
      const skipped: string[] = []
      for (const name of await fileSystem.readdir(inside.path)) {
        const entries = [
          { folder: inside, name },
          { folder: copy, name },
        ] as const
        skipped.push(...(await copyTree(...entries, `${relative}/${name}`, fileSystem, signal)))
      }
      // Set last, because files cannot be created in a folder that is not writable.
      await fileSystem.chmod(copy.path, stats.mode & 0o7777)
      return skipped
    } finally {
      await copy.release()
    }
  } finally {
    await inside.release()
  }
}

/** Copies through a descriptor, because a copy by name would follow a link that replaced the file. */
async function copyFile(from: string, to: string, fileSystem: FileSystem): Promise<void> {
  const handle = await open(from, readFlags)
  try {
    await fileSystem.copyFile(descriptorPath(handle, from), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  } finally {
    await handle.close()
  }
}

import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gitRulesFor } from '../base/ignoreRules.ts'
import { pathLocks, type PathLocks } from '../base/pathLocks.ts'
import { ToolError } from '../../shared/errors.ts'
import type { FileEntry, FileStamp } from '../../shared/files.ts'
import { copyTree } from './copyTree.ts'
import { deleteTree } from './deleteTree.ts'
import { errorCode, fileError } from './fileErrors.ts'
import { diskFileSystem, type FileSystem } from './fileSystem.ts'
import { readWholeFile } from './readBytes.ts'
import { isTemporaryName, isWritable, requireStamp, temporaryBeside, withParents } from './textFile.ts'
import type { ResolvedPath, Workspace } from './containment.ts'

export interface FileInfo {
  /** Relative to the workspace. */
  path: string
  /** Bytes. */
  size: number
  is_directory: boolean
  is_file: boolean
  /** Seconds since the epoch. */
  modified: number
  /** Whether this process lacks write permission. */
  readonly: boolean
}

/** Metadata of a file. Links are followed. */
export interface FileStats {
  /** Bytes. */
  size: number
  /** Milliseconds since the epoch, with fractions. */
  modifiedMs: number
  /** Permission bits. */
  mode: number
}

export interface DeletedEntry {
  path: string
  type: 'file' | 'directory' | 'symlink' | 'other'
}

export interface TransferOptions {
  /** Replaces a file at the destination. Folders are never replaced. */
  overwrite?: boolean
  /** Stamp of the file to be replaced. @throws ToolError `changed_on_disk` if it has another stamp */
  replaces?: FileStamp
}

export interface DeleteOptions {
  recursive?: boolean
  /** Stamp of the file to be deleted. @throws ToolError `changed_on_disk` if it has another stamp */
  expected?: FileStamp
}

export interface TransferOutcome {
  from: string
  to: string
  directory: boolean
  /** Whether a file at the destination was replaced. */
  replaced: boolean
  /** Sockets, pipes and devices that were not copied. */
  skipped: string[]
}

/** A file operation that may need approval. */
export type PlannedChange =
  | { kind: 'delete'; path: string; recursive: boolean }
  | { kind: 'move' | 'copy'; source: string; destination: string; overwrite: boolean }
  | { kind: 'createDirectory'; path: string }

/** Operations on whole files and folders. `Documents` changes text. Every path is resolved and checked. */
export interface FileOperations {
  info(path: string): Promise<FileInfo>
  stats(path: string): Promise<FileStats>
  /** @param mode permission bits */
  setMode(path: string, mode: number): Promise<void>
  /** Lists one level, folders first. @throws ToolError `not_a_directory`, `permission_denied` */
  list(path: string, signal?: AbortSignal): Promise<FileEntry[]>
  /**
   * Reads the content of a file on disk, e.g. an image.
   * @param limit maximum size in bytes
   * @throws ToolError `is_directory`, `invalid_path` (a device or pipe), `too_large`
   */
  readBytes(path: string, limit: number, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>>
  /** Creates an empty file and its parents. @throws ToolError `already_exists` */
  createFile(path: string): Promise<string>
  /** Creates a folder and its parents. An existing folder is not an error. */
  createDirectory(path: string): Promise<{ path: string; created: boolean }>
  /** Throws what `delete`, `move` or `copy` would throw now. Changes nothing. */
  check(operation: PlannedChange): Promise<void>
  /**
   * Deletes an entry. A symlink is deleted, not its target. The error of a failure midway reports what was deleted and
   * what remains.
   * @throws ToolError `is_directory` or `not_empty` for a folder without `recursive`
   */
  delete(path: string, options?: DeleteOptions): Promise<DeletedEntry>
  /**
   * Creates the parents of the destination. @throws ToolError `already_exists`; `invalid_path` for a folder into itself
   */
  move(source: string, destination: string, options?: TransferOptions, signal?: AbortSignal): Promise<TransferOutcome>
  /** Like `move`. Copies all or nothing: folders with their content, links as links. */
  copy(source: string, destination: string, options?: TransferOptions, signal?: AbortSignal): Promise<TransferOutcome>
}

const byName = new Intl.Collator('en', { numeric: true })
/** Time that a listing works before it yields, in milliseconds. */
const sliceMs = 20

/** Creates the file operations of a workspace. */
export function createFileOperations(
  workspace: Workspace,
  fileSystem: FileSystem = diskFileSystem,
  locks: PathLocks = pathLocks,
): FileOperations {
  /** Resolves and checks the destination of a move or copy. */
  async function route(
    action: string,
    source: ResolvedPath,
    destination: string,
    overwrite: boolean,
  ): Promise<{ target: ResolvedPath; replaced: boolean }> {
    refuseRoot(source, action)
    const target = await workspace.resolve(destination, { missing: 'allow', symlink: 'keep' })
    refuseRoot(target, action)
    if (target.absolute === source.absolute)
      throw new ToolError(
        'invalid_path',
        `Source and destination are the same: "${source.relative}".`,
        'Name another destination.',
      )
    if (source.type === 'directory' && target.absolute.startsWith(source.absolute + path.sep)) {
      throw new ToolError(
        'invalid_path',
        `Cannot ${action} the folder "${source.relative}" into itself ("${target.relative}").`,
        'Name a destination outside it.',
      )
    }
    // On a case-insensitive disk, `readme` -> `README` is the same entry: a rename that replaces nothing.
    if (!target.exists || (await sameEntry(source, target))) return { target, replaced: false }
    if (target.type === 'directory' || source.type === 'directory') {
      throw new ToolError(
        'already_exists',
        `"${target.relative}" already exists, and folders are never replaced.`,
        target.type === 'directory'
          ? `To put it inside, use "${target.relative}/${path.basename(source.relative)}".`
          : 'Name another destination, or delete the file first.',
      )
    }
    if (!overwrite)
      throw new ToolError(
        'already_exists',
        `"${target.relative}" already exists.`,
        'Name another destination, or repeat with overwrite: true to replace it.',
      )
    return { target, replaced: true }
  }

  async function sameEntry(source: ResolvedPath, target: ResolvedPath): Promise<boolean> {
    if (source.absolute.toLowerCase() !== target.absolute.toLowerCase()) return false
    const [one, other] = await Promise.all(
      [source, target].map(({ absolute }) => fileSystem.lstat(absolute, { bigint: true })),
    )
    return one?.ino === other?.ino && one?.dev === other?.dev
  }

  /** Copies to a temporary name beside the target and renames, so that the target is never incomplete. */
  async function copyWhole(source: string, target: string, signal?: AbortSignal): Promise<string[]> {
    const temporary = temporaryBeside(target)
    try {
      const skipped = await copyTree(source, temporary, fileSystem, signal)
      await fileSystem.rename(temporary, target)
      return skipped
    } catch (error) {
      await fileSystem.rm(temporary, { recursive: true, force: true })
      throw error
    }
  }

  async function deleteEntry(requested: string, { recursive = false, expected }: DeleteOptions): Promise<DeletedEntry> {
    const { absolute, relative, type } = await workspace.resolve(requested, { symlink: 'keep' })
    if (type === 'missing') throw new Error('resolve returned a missing path although missing paths are not allowed')
    try {
      if (expected !== undefined) await requireStamp(absolute, relative, expected, fileSystem)
      if (type !== 'directory') await fileSystem.unlink(absolute)
      else if (recursive) await deleteTree(absolute, relative, fileSystem)
      else throw await folderRefusal(absolute, relative, fileSystem)
      return { path: relative, type }
    } catch (error) {
      throw fileError(error, `delete "${relative}"`)
    }
  }

  async function moveEntry(
    source: ResolvedPath,
    to: string,
    { overwrite = false, replaces }: TransferOptions,
    signal?: AbortSignal,
  ): Promise<TransferOutcome> {
    const { target, replaced } = await route('move', source, to, overwrite)
    signal?.throwIfAborted()
    try {
      if (replaced && replaces !== undefined) await requireStamp(target.absolute, target.relative, replaces, fileSystem)
      const skipped = await withParents(target.absolute, fileSystem, async () => {
        try {
          await fileSystem.rename(source.absolute, target.absolute)
          return []
        } catch (error) {
          if (errorCode(error) !== 'EXDEV') throw error
          const left = await copyWhole(source.absolute, target.absolute, signal)
          await (source.type === 'directory'
            ? deleteTree(source.absolute, source.relative, fileSystem)
            : fileSystem.unlink(source.absolute))
          return left
        }
      })
      return { from: source.relative, to: target.relative, directory: source.type === 'directory', replaced, skipped }
    } catch (error) {
      throw fileError(error, `move "${source.relative}" to "${target.relative}"`)
    }
  }

  async function copyEntry(
    source: ResolvedPath,
    to: string,
    { overwrite = false, replaces }: TransferOptions,
    signal?: AbortSignal,
  ): Promise<TransferOutcome> {
    const { target, replaced } = await route('copy', source, to, overwrite)
    try {
      if (replaced && replaces !== undefined) await requireStamp(target.absolute, target.relative, replaces, fileSystem)
      const skipped = await withParents(target.absolute, fileSystem, () =>
        copyWhole(source.absolute, target.absolute, signal),
      )
      return {
        from: source.relative,
        to: target.relative,
        directory: source.type === 'directory',
        replaced,
        skipped: skipped.map((absolute) => workspace.relative(absolute)),
      }
    } catch (error) {
      throw fileError(error, `copy "${source.relative}" to "${target.relative}"`)
    }
  }

  return {
    async check(operation) {
      if (operation.kind === 'delete') {
        const { absolute, relative, type } = await workspace.resolve(operation.path, { symlink: 'keep' })
        if (relative === '.')
          throw new ToolError(
            'invalid_path',
            'The workspace folder itself cannot be deleted.',
            'Name something inside it.',
          )
        if (type === 'directory' && !operation.recursive) throw await folderRefusal(absolute, relative, fileSystem)
      } else if (operation.kind === 'createDirectory') {
        const { relative, type } = await workspace.resolve(operation.path, { missing: 'allow' })
        if (type !== 'directory' && type !== 'missing')
          throw new ToolError('already_exists', `"${relative}" already exists as a file.`, 'Choose another name.')
      } else {
        const { kind, source, destination, overwrite } = operation
        await route(
          kind,
          await workspace.resolve(source, kind === 'move' ? { symlink: 'keep' } : {}),
          destination,
          overwrite,
        )
      }
    },

    async info(requested) {
      const { absolute, relative } = await workspace.resolve(requested)
      try {
        const stats = await fileSystem.stat(absolute)
        return {
          path: relative,
          size: stats.size,
          is_directory: stats.isDirectory(),
          is_file: stats.isFile(),
          modified: Math.floor(stats.mtimeMs / 1000),
          readonly: !(await isWritable(absolute, fileSystem)),
        }
      } catch (error) {
        throw fileError(error, `access "${relative}"`)
      }
    },

    async stats(requested) {
      const { absolute, relative } = await workspace.resolve(requested)
      try {
        const { size, mtimeMs, mode } = await fileSystem.stat(absolute)
        return { size, modifiedMs: mtimeMs, mode: mode & 0o7777 }
      } catch (error) {
        throw fileError(error, `access "${relative}"`)
      }
    },

    async setMode(requested, mode) {
      const { absolute, relative } = await workspace.resolve(requested)
      try {
        await fileSystem.chmod(absolute, mode)
      } catch (error) {
        throw fileError(error, `change the permissions of "${relative}"`)
      }
    },

    async list(requested, signal) {
      const folder = await workspace.resolve(requested)
      if (folder.type !== 'directory')
        throw new ToolError(
          'not_a_directory',
          `"${folder.relative}" is a file and not a directory.`,
          'Read it, or list its parent folder.',
        )
      try {
        const found = await fileSystem.readdir(folder.absolute, { withFileTypes: true })
        signal?.throwIfAborted()
        const rules = await gitRulesFor(folder.absolute)
        const entries: FileEntry[] = []
        let since = performance.now()
        for (const entry of found) {
          if (isTemporaryName(entry.name)) continue
          const relative = folder.relative === '.' ? entry.name : `${folder.relative}/${entry.name}`
          const type = entry.isSymbolicLink()
            ? 'symlink'
            : entry.isDirectory()
              ? 'directory'
              : entry.isFile()
                ? 'file'
                : 'other'
          const directory = type === 'directory' || (type === 'symlink' && (await leadsToFolder(workspace, relative)))
          entries.push({
            name: entry.name,
            path: relative,
            type,
            directory,
            ignored: rules.ignores(entry.name, type === 'directory'),
          })
          // Matching thousands of names against thousands of rules takes a while, so this yields to other work.
          if (performance.now() - since < sliceMs) continue
          await nextTurn()
          signal?.throwIfAborted()
          since = performance.now()
        }
        return entries.toSorted((a, b) => Number(b.directory) - Number(a.directory) || byName.compare(a.name, b.name))
      } catch (error) {
        throw fileError(error, `list "${folder.relative}"`)
      }
    },

    async readBytes(requested, limit, signal) {
      const { absolute, relative } = await workspace.resolve(requested)
      return readWholeFile(absolute, relative, limit, fileSystem, signal)
    },

    async createFile(requested) {
      const { absolute, relative } = await workspace.resolve(requested, { missing: 'allow' })
      try {
        await withParents(absolute, fileSystem, async () => (await fileSystem.open(absolute, 'wx')).close())
        return relative
      } catch (error) {
        throw fileError(error, `create "${relative}"`)
      }
    },

    async createDirectory(requested) {
      const { absolute, relative, type } = await workspace.resolve(requested, { missing: 'allow' })
      if (type === 'directory') return { path: relative, created: false }
      if (type !== 'missing')
        throw new ToolError('already_exists', `"${relative}" already exists as a file.`, 'Choose another name.')
      try {
        await fileSystem.mkdir(absolute, { recursive: true })
        return { path: relative, created: true }
      } catch (error) {
        throw fileError(error, `create the directory "${relative}"`)
      }
    },

    async delete(requested, options = {}) {
      const { absolute, relative } = await workspace.resolve(requested, { symlink: 'keep' })
      if (relative === '.')
        throw new ToolError(
          'invalid_path',
          'The workspace folder itself cannot be deleted.',
          'Name something inside it.',
        )
      return locks.run([absolute], () => deleteEntry(requested, options))
    },

    async move(from, to, options = {}, signal) {
      const source = await workspace.resolve(from, { symlink: 'keep' })
      const target = await workspace.resolve(to, { missing: 'allow', symlink: 'keep' })
      // Checked before locking, because both paths may be the whole workspace.
      await route('move', source, to, options.overwrite ?? false)
      return locks.run([source.absolute, target.absolute], () => moveEntry(source, to, options, signal), signal)
    },

    async copy(from, to, options = {}, signal) {
      const source = await workspace.resolve(from)
      if (source.type === 'other')
        throw new ToolError(
          'invalid_path',
          `"${source.relative}" is a device, pipe or socket and cannot be copied.`,
          'Name a file or folder.',
        )
      const { target } = await route('copy', source, to, options.overwrite ?? false)
      return locks.run([target.absolute], () => copyEntry(source, to, options, signal), signal)
    },
  }
}

function refuseRoot(place: ResolvedPath, action: string): void {
  if (place.relative === '.')
    throw new ToolError(
      'invalid_path',
      `The workspace folder itself cannot be part of a ${action}.`,
      'Name something inside it.',
    )
}

async function folderRefusal(absolute: string, relative: string, fileSystem: FileSystem): Promise<ToolError> {
  const empty = (await fileSystem.readdir(absolute)).length === 0
  return empty
    ? new ToolError('is_directory', `"${relative}" is a directory.`, 'Repeat with recursive: true to delete it.')
    : new ToolError(
        'not_empty',
        `"${relative}" is a directory that is not empty.`,
        'Repeat with recursive: true to delete it with its content.',
      )
}

/** Whether a link points to a folder in the workspace. Other links are listed as files that cannot be opened. */
async function leadsToFolder(workspace: Workspace, relative: string): Promise<boolean> {
  try {
    return (await workspace.resolve(relative)).type === 'directory'
  } catch (error) {
    if (error instanceof ToolError) return false
    throw error
  }
}

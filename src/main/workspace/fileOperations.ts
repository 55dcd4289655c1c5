import { pathLocks, type PathLocks } from '../base/pathLocks.ts'
import { ToolError } from '../../shared/errors.ts'
import type { FileEntry } from '../../shared/files/files.ts'
import type { Workspace } from './containment.ts'
import {
  checkDelete,
  deleteEntry,
  refuseWorkspaceFolder,
  type DeletedEntry,
  type DeleteOptions,
} from './deleteEntry.ts'
import { fileError } from '../base/fileErrors.ts'
import { fileInfo, fileStats, setFileMode, type FileInfo, type FileStats } from './fileMetadata.ts'
import { diskFileSystem, type FileSystem } from './fileSystem.ts'
import { listFolder } from './listFolder.ts'
import { readWholeFile } from './readBytes.ts'
import { withParents } from './textFile.ts'
import { checkTransfer, copyEntry, moveEntry, type TransferOptions, type TransferOutcome } from './transferEntries.ts'

export type { DeletedEntry, DeleteOptions } from './deleteEntry.ts'
export type { FileInfo, FileStats } from './fileMetadata.ts'
export type { TransferOptions, TransferOutcome } from './transferEntries.ts'

/** A file operation that may need approval. */
export type PlannedChange =
  | { kind: 'delete'; path: string; recursive: boolean }
  | { kind: 'move' | 'copy'; source: string; destination: string; overwrite: boolean }
  | { kind: 'createDirectory'; path: string }

/** Operations on whole files and folders; `Documents` changes text. Every path is resolved and checked. */
export interface FileOperations {
  info(path: string): Promise<FileInfo>
  stats(path: string): Promise<FileStats>
  /** Changes the permissions of a file. @param mode permission bits */
  setMode(path: string, mode: number): Promise<void>
  /** Lists one level, folders first. @throws ToolError `not_a_directory`, `permission_denied` */
  list(path: string, signal?: AbortSignal): Promise<FileEntry[]>
  /**
   * Reads the bytes of a file on disk, e.g. an image.
   * @param limit maximum size in bytes
   * @throws ToolError `is_directory`, `invalid_path` (a device or pipe), `too_large`
   */
  readBytes(path: string, limit: number, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>>
  /** Creates an empty file and its parents. @throws ToolError `already_exists` */
  createFile(path: string): Promise<string>
  /** Creates a folder and its parents. An existing folder is not an error. */
  createDirectory(path: string): Promise<{ path: string; created: boolean }>
  /** Throws whatever `delete`, `move` or `copy` would throw now. Changes nothing. */
  check(operation: PlannedChange): Promise<void>
  /**
   * Deletes an entry. Deletes a symlink, not its target. If it fails midway, the error states what was deleted and what
   * remains.
   * @throws ToolError `is_directory` or `not_empty` for a folder without `recursive`
   */
  delete(path: string, options?: DeleteOptions): Promise<DeletedEntry>
  /**
   * Moves an entry, and creates the parents of its destination.
   * @throws ToolError `already_exists`; `invalid_path` for a folder into itself
   */
  move(source: string, destination: string, options?: TransferOptions, signal?: AbortSignal): Promise<TransferOutcome>
  /** Like `move`. Copies all or nothing: folders with everything inside them, links as links. */
  copy(source: string, destination: string, options?: TransferOptions, signal?: AbortSignal): Promise<TransferOutcome>
}

/** Creates the file operations of a workspace. */
export function createFileOperations(
  workspace: Workspace,
  fileSystem: FileSystem = diskFileSystem,
  locks: PathLocks = pathLocks,
): FileOperations {
  const deps = { workspace, fileSystem }
  return {
    async check(operation) {
      switch (operation.kind) {
        case 'delete':
          return checkDelete(workspace, fileSystem, operation.path, operation.recursive)
        case 'createDirectory': {
          const { relative, type } = await workspace.resolve(operation.path, { missing: 'allow' })
          if (type !== 'directory' && type !== 'missing') throw existsAsFile(relative)
          return
        }
        case 'move':
        case 'copy': {
          const { kind, source, destination, overwrite } = operation
          await checkTransfer(deps, kind, await resolveSource(workspace, kind, source), destination, overwrite)
        }
      }
    },
    info: (requested) => fileInfo(workspace, fileSystem, requested),
    stats: (requested) => fileStats(workspace, fileSystem, requested),
    setMode: (requested, mode) => setFileMode(workspace, fileSystem, requested, mode),
    list: (requested, signal) => listFolder(workspace, fileSystem, requested, signal),

    async readBytes(requested, limit, signal) {
      const { absolute, relative } = await workspace.resolve(requested)
      return readWholeFile(absolute, relative, limit, fileSystem, signal)
    },

    async createFile(requested) {
      const { absolute, relative } = await workspace.resolve(requested, { missing: 'allow' })
      try {
        await withParents(absolute, fileSystem, async (entry) => (await fileSystem.open(entry, 'wx')).close())
        return relative
      } catch (error) {
        throw fileError(error, `"${relative}" could not be created.`)
      }
    },

    async createDirectory(requested) {
      const { absolute, relative, type } = await workspace.resolve(requested, { missing: 'allow' })
      if (type === 'directory') return { path: relative, created: false }
      if (type !== 'missing') throw existsAsFile(relative)
      try {
        await withParents(absolute, fileSystem, (entry) => fileSystem.mkdir(entry))
        return { path: relative, created: true }
      } catch (error) {
        throw fileError(error, `The directory "${relative}" could not be created.`)
      }
    },

    async delete(requested, options = {}) {
      const { absolute, relative } = await workspace.resolve(requested, { symlink: 'keep' })
      refuseWorkspaceFolder(workspace, relative)
      return locks.run([absolute], () => deleteEntry(workspace, fileSystem, requested, options))
    },

    async move(from, to, options = {}, signal) {
      const source = await resolveSource(workspace, 'move', from)
      const target = await workspace.resolve(to, { missing: 'allow', symlink: 'keep' })
      // Checked before locking, because both paths may be the whole workspace.
      await checkTransfer(deps, 'move', source, to, options.overwrite ?? false)
      return locks.run([source.absolute, target.absolute], () => moveEntry(deps, source, to, options, signal), signal)
    },

    async copy(from, to, options = {}, signal) {
      const source = await resolveSource(workspace, 'copy', from)
      if (source.type === 'other')
        throw new ToolError(
          'invalid_path',
          `"${source.relative}" is a device, pipe or socket and cannot be copied.`,
          'Pass a file or folder.',
        )
      const { target } = await checkTransfer(deps, 'copy', source, to, options.overwrite ?? false)
      return locks.run([target.absolute], () => copyEntry(deps, source, to, options, signal), signal)
    },
  }
}

/** Resolves the source of a move or copy. A move takes a link itself, a copy its target. */
function resolveSource(workspace: Workspace, kind: 'move' | 'copy', source: string) {
  return workspace.resolve(source, kind === 'move' ? { symlink: 'keep', below: 'all' } : { below: 'all' })
}

function existsAsFile(relative: string): ToolError {
  return new ToolError('already_exists', `"${relative}" already exists as a file.`, 'Choose another name.')
}

import { stat } from 'node:fs/promises'
import { toFailure } from '../../shared/errors.ts'
import type { LocalHistory, LocalHistoryDeps } from '../history/localHistory/localHistory.ts'
import { readWholeFile } from '../workspace/readBytes.ts'
import type { DeletedEntries } from '../workspace/deletedEntries.ts'
import type { WindowDocuments, WriteOutcome } from '../workspace/documents.ts'
import type { FileOperations } from '../workspace/fileOperations.ts'
import { diskFileSystem } from '../workspace/fileSystem.ts'
import type { Workspace } from '../workspace/containment.ts'

/** Reads files of the workspace for the local history. */
export function createContentReader(workspace: Workspace): LocalHistoryDeps['read'] {
  return async (path, limit) => {
    const { absolute, relative, type } = await workspace.resolve(path, { missing: 'allow' })
    if (type !== 'file') return null
    try {
      const { mode, mtimeMs, size } = await stat(absolute)
      if (size > limit) return null
      const bytes = Buffer.from(await readWholeFile(absolute, relative, limit, diskFileSystem))
      return { path: relative, bytes, mode: mode & 0o777, modified: Math.floor(mtimeMs) }
    } catch (error) {
      // It was deleted or has grown meanwhile.
      if (['not_found', 'too_large'].includes(toFailure(error).code)) return null
      throw error
    }
  }
}

interface WindowChanges {
  documents: WindowDocuments
  files: FileOperations
  deleted: DeletedEntries
}

/** Wraps what the window changes, so that the local history records it. */
export function recordedChanges(
  history: Pick<LocalHistory, 'contentBefore' | 'written' | 'deleting' | 'moved'>,
  { documents, files, deleted }: WindowChanges,
): WindowChanges {
  return {
    documents: {
      ...documents,
      async save(path, ...rest) {
        // A save must not fail because the earlier text cannot be read.
        const before = await history.contentBefore(path).catch(() => null)
        const stamp = await documents.save(path, ...rest)
        history.written(path, 'saved', before)
        return stamp
      },
    },
    files: {
      ...files,
      async delete(path, ...rest) {
        await history.deleting(path)
        return files.delete(path, ...rest)
      },
      async move(from, to, ...rest) {
        const outcome = await files.move(from, to, ...rest)
        history.moved(from, to)
        return outcome
      },
    },
    deleted: {
      ...deleted,
      async keep(path) {
        await history.deleting(path)
        return deleted.keep(path)
      },
    },
  }
}

/** Wraps writes that undo a change, such as those of the review, so that the local history records them. */
export function recordedRestores(
  history: () => Pick<LocalHistory, 'contentBefore' | 'written'>,
  documents: WindowDocuments,
): WindowDocuments {
  async function recorded<T extends WriteOutcome>(path: string, write: () => Promise<T>): Promise<T> {
    const { contentBefore, written } = history()
    const before = await contentBefore(path).catch(() => null)
    const outcome = await write()
    if (!outcome.unsaved) written(path, 'restored', before)
    return outcome
  }
  return {
    ...documents,
    edit: (base, ...rest) => recorded(base.path, () => documents.edit(base, ...rest)),
    write: (path, ...rest) => recorded(path, () => documents.write(path, ...rest)),
  }
}

import type { CodeIndex } from '../code/index/codeIndex.ts'
import type { Documents } from '../workspace/documents.ts'
import type { FileOperations } from '../workspace/fileOperations.ts'

/**
 * Wraps document and file operations so that they update the code index immediately, before the watcher reports a
 * change.
 */
export function indexedWrites<D extends Documents>(
  documents: D,
  files: FileOperations,
  code: Pick<CodeIndex, 'filesWritten' | 'filesChanged'>,
): { documents: D; files: FileOperations } {
  return {
    documents: {
      ...documents,
      async edit(...args: Parameters<Documents['edit']>) {
        const outcome = await documents.edit(...args)
        code.filesWritten([outcome.path])
        return outcome
      },
      async write(...args: Parameters<Documents['write']>) {
        const outcome = await documents.write(...args)
        code.filesWritten([outcome.path])
        return outcome
      },
    },
    files: {
      ...files,
      async delete(...args: Parameters<FileOperations['delete']>) {
        const outcome = await files.delete(...args)
        code.filesChanged([args[0]], true)
        return outcome
      },
      async move(...args: Parameters<FileOperations['move']>) {
        const outcome = await files.move(...args)
        code.filesChanged([args[0], args[1]], true)
        return outcome
      },
      async copy(...args: Parameters<FileOperations['copy']>) {
        const outcome = await files.copy(...args)
        code.filesChanged([args[1]], true)
        return outcome
      },
    },
  }
}

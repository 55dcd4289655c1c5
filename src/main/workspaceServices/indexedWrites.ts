import type { CodeIndex } from '../code/index/codeIndex.ts'
import type { Documents } from '../workspace/documents.ts'
import type { FileOperations } from '../workspace/fileOperations.ts'

/** Wraps document and file operations so that the code index is updated at once, before the watcher reports the change. */
export function indexedWrites<D extends Documents>(
  documents: D,
  files: FileOperations,
  code: Pick<CodeIndex, 'filesWritten' | 'filesChanged'>,
): { documents: D; files: FileOperations } {
  return {
    documents: {
      ...documents,
      async edit(...given: Parameters<Documents['edit']>) {
        const outcome = await documents.edit(...given)
        code.filesWritten([outcome.path])
        return outcome
      },
      async write(...given: Parameters<Documents['write']>) {
        const outcome = await documents.write(...given)
        code.filesWritten([outcome.path])
        return outcome
      },
    },
    files: {
      ...files,
      async delete(...given: Parameters<FileOperations['delete']>) {
        const outcome = await files.delete(...given)
        code.filesChanged([given[0]], true)
        return outcome
      },
      async move(...given: Parameters<FileOperations['move']>) {
        const outcome = await files.move(...given)
        code.filesChanged([given[0], given[1]], true)
        return outcome
      },
      async copy(...given: Parameters<FileOperations['copy']>) {
        const outcome = await files.copy(...given)
        code.filesChanged([given[1]], true)
        return outcome
      },
    },
  }
}

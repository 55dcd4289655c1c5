import type { FileChange } from '../../shared/files/files.ts'
import type { CodeIndex } from '../code/codeIndex.ts'
import type { Documents } from '../workspace/documents.ts'
import type { LanguageServers } from '../lsp/languageServers.ts'
import type { FileOperations } from '../workspace/fileOperations.ts'

/**
 * Wraps document and file operations so that they update the code index and the language servers immediately, before
 * the watcher reports a change.
 */
export function indexedWrites<D extends Documents>(
  documents: D,
  files: FileOperations,
  code: Pick<CodeIndex, 'filesWritten' | 'filesChanged'>,
  languages: Pick<LanguageServers, 'filesChanged'>,
): { documents: D; files: FileOperations } {
  const inform = (change: FileChange['change'], ...paths: string[]): void =>
    languages.filesChanged(paths.map((path) => ({ path, change, directory: false })))
  return {
    documents: {
      ...documents,
      async edit(...args: Parameters<Documents['edit']>) {
        const outcome = await documents.edit(...args)
        code.filesWritten([outcome.path])
        inform('changed', outcome.path)
        return outcome
      },
      async write(...args: Parameters<Documents['write']>) {
        const outcome = await documents.write(...args)
        code.filesWritten([outcome.path])
        inform(outcome.before === null ? 'created' : 'changed', outcome.path)
        return outcome
      },
    },
    files: {
      ...files,
      async delete(...args: Parameters<FileOperations['delete']>) {
        const outcome = await files.delete(...args)
        code.filesChanged([args[0]], true)
        inform('deleted', args[0])
        return outcome
      },
      async move(...args: Parameters<FileOperations['move']>) {
        const outcome = await files.move(...args)
        code.filesChanged([args[0], args[1]], true)
        inform('deleted', args[0])
        inform('created', args[1])
        return outcome
      },
      async copy(...args: Parameters<FileOperations['copy']>) {
        const outcome = await files.copy(...args)
        code.filesChanged([args[1]], true)
        inform('created', args[1])
        return outcome
      },
    },
  }
}

import { ToolError } from '../../shared/errors.ts'
import type { JournalFiles } from '../history/editJournal.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { WindowDocuments } from '../workspace/documents.ts'
import type { FileOperations } from '../workspace/fileOperations.ts'

/** File access of the edit journal, which undoes edits. */
export function journalFiles(workspace: Workspace, documents: WindowDocuments, files: FileOperations): JournalFiles {
  return {
    async read(path) {
      try {
        return (await documents.read(path)).text
      } catch (error) {
        if (error instanceof ToolError && error.code === 'not_found') return null
        throw error
      }
    },
    async write(path, text, mode) {
      const { exists } = await workspace.resolve(path, { missing: 'allow' })
      if (exists) await documents.edit(await documents.read(path), text)
      else await documents.write(path, text)
      if (mode !== undefined) await files.setMode(path, mode)
    },
    remove: async (path) => void (await files.delete(path)),
  }
}

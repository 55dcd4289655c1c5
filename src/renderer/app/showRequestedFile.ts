import { handleRequest, request } from '../platform/bridge/bridge.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { openDiff, openFile } from '../editor/openTab.ts'
import { documentName } from '../editor/tabTitle.ts'
import { layoutRestored } from './layoutPersistence.ts'

/** Shows files that a command line opens. @returns a function that unregisters it */
export function registerRequestedFiles(): () => void {
  return handleRequest('editor.show', async ({ path, line, column, compareWith }) => {
    await layoutRestored()
    const real = await documents.open(path)
    // A file that does not exist is saved at its path.
    if (documents.get(real)?.failure?.code === 'not_found') await documents.restore(real, { text: '', stamp: '' })
    if (compareWith !== undefined) {
      const { text } = await request('files.read', { path: compareWith })
      const title = `${documentName(compareWith)} ↔ ${documentName(real)}`
      openDiff({ title, path: real, original: text, modified: null })
      return { path: real }
    }
    await openFile(real, line === undefined ? undefined : { line, column: column ?? 1 })
    return { path: real }
  })
}

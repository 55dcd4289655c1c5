import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { createCodeIndex, type CodeIndex } from '../code/index/codeIndex.ts'
import { createSearch, type Search } from '../search/search.ts'
import { fakeEditor, temporaryFolder, type FakeEditor } from '../tools/testing/toolContext.ts'
import { inProcessIndex } from './inProcessIndex.ts'
import { createDocuments, type Documents } from '../workspace/documents.ts'
import { openWorkspace } from '../workspace/containment.ts'

export interface IndexedFolder {
  root: string
  editor: FakeEditor
  documents: Documents
  search: Search
  code: CodeIndex
  dirtyBuffers(): { path: string; text: string }[]
  close(): Promise<void>
}

/** Creates a temporary workspace with a code index and a fake editor. */
export async function openIndexedFolder(
  files: Record<string, string>,
  { watched }: { watched: boolean },
): Promise<IndexedFolder> {
  const folder = await temporaryFolder(files)
  const data = await temporaryFolder()
  const editor = fakeEditor()
  const workspace = await openWorkspace(folder.root)
  const documents = createDocuments(workspace, editor)
  const dirtyBuffers = () => [...editor.tabs].flatMap(([path, tab]) => (tab.dirty ? [{ path, text: tab.text }] : []))
  const search = createSearch(workspace, { dirtyBuffers })
  const resources = fileURLToPath(new URL('../../../resources', import.meta.url))
  const code = createCodeIndex({
    workspace,
    documents,
    search,
    userData: data.root,
    resources,
    watched,
    dirtyBuffers,
    fork: inProcessIndex,
    onNotice: (message) => expect.unreachable(message),
  })
  return {
    root: folder.root,
    editor,
    documents,
    search,
    code,
    dirtyBuffers,
    async close() {
      await code.dispose()
      await Promise.all([folder.remove(), data.remove()])
    },
  }
}

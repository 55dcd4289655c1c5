import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { createCodeIndex, type CodeIndex } from '../code/codeIndex.ts'
import { createSearch, type Search } from '../search/search.ts'
import { fakeEditor, temporaryFolder, type FakeEditor } from '../tools/testing/toolContext.ts'
import { inProcessIndex } from './inProcessIndex.ts'
import { createDocuments, type WindowDocuments } from '../workspace/documents.ts'
import { openWorkspace, type Workspace } from '../workspace/containment.ts'

export interface IndexedServices {
  workspace: Workspace
  documents: WindowDocuments
  search: Search
  code: CodeIndex
  dirtyBuffers(): { path: string; text: string }[]
}

/**
 * Opens a folder with search and a code index, whose process is this one.
 * @param userData folder that keeps the index
 * @param onNotice receives the index's notices, which otherwise fail the test
 */
export async function openIndex(
  root: string,
  userData: string,
  editor: FakeEditor,
  watched = false,
  onNotice = (message: string): void => expect.unreachable(message),
): Promise<IndexedServices> {
  const workspace = await openWorkspace(root)
  const documents = createDocuments(workspace, editor)
  const dirtyBuffers = () => [...editor.tabs].flatMap(([path, tab]) => (tab.dirty ? [{ path, text: tab.text }] : []))
  const search = createSearch(workspace, { dirtyBuffers })
  const resources = fileURLToPath(new URL('../../../resources', import.meta.url))
  const common = { workspace, documents, search, dirtyBuffers }
  const code = createCodeIndex({ ...common, userData, resources, watched, fork: inProcessIndex, onNotice })
  return { ...common, code }
}

export interface IndexedFolder extends Omit<IndexedServices, 'workspace'> {
  root: string
  editor: FakeEditor
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
  const services = await openIndex(folder.root, data.root, editor, watched)
  return {
    root: folder.root,
    editor,
    ...services,
    async close() {
      await services.code.dispose()
      await Promise.all([folder.remove(), data.remove()])
    },
  }
}

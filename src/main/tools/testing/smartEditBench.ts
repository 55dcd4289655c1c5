import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { createCodeIndex } from '../../code/index/codeIndex.ts'
import { createCheckpoints, type Checkpoints } from '../../history/checkpoints/checkpoints.ts'
import { openDatabase } from '../../history/database.ts'
import { createSearch } from '../../search/search.ts'
import { createDocuments } from '../../workspace/documents.ts'
import { createFileOperations } from '../../workspace/fileOperations.ts'
import { createRestoreTarget } from '../../workspace/restoreTarget.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import {
  fakeEditor,
  recordingJournal,
  runTool,
  temporaryFolder,
  testContext,
  type FakeEditor,
  type RecordingJournal,
  type TestContext,
} from './toolContext.ts'
import type { ToolOutput } from '../common/toolDefinition.ts'
import { smartEdit } from '../rustant/smartEdit.ts'
import { inProcessIndex } from '../../testing/inProcessIndex.ts'

/** smart_edit with real services in a temporary folder. */
export interface SmartEditBench {
  folder: Awaited<ReturnType<typeof temporaryFolder>>
  editor: FakeEditor
  journal: RecordingJournal
  checkpoints: Checkpoints
  context: TestContext
  onDisk(name: string): Promise<string>
  edit(args: Record<string, unknown>): Promise<ToolOutput>
  dispose(): Promise<void>
}

/** Creates a bench. @param files texts by path */
export async function smartEditBench(files: Readonly<Record<string, string>>): Promise<SmartEditBench> {
  const folder = await temporaryFolder(files)
  const data = await temporaryFolder()
  const { db } = await openDatabase(data.root)
  const editor = fakeEditor()
  const journal = recordingJournal()
  const workspace = await openWorkspace(folder.root)
  const documents = createDocuments(workspace, editor)
  const dirtyBuffers = () =>
    [...editor.tabs].flatMap(([name, tab]) => (tab.dirty ? [{ path: name, text: tab.text }] : []))
  const search = createSearch(workspace, { dirtyBuffers })
  const resources = fileURLToPath(new URL('../../../../resources', import.meta.url))
  const code = createCodeIndex({
    workspace,
    documents,
    search,
    userData: data.root,
    resources,
    watched: false,
    dirtyBuffers,
    fork: inProcessIndex,
    onNotice: expect.fail,
  })
  const target = createRestoreTarget(workspace, documents, createFileOperations(workspace), () => undefined)
  const checkpoints = createCheckpoints({ db, root: folder.root, userData: data.root, target })
  const context = await testContext(folder.root, { workspace, documents, search, code, editor, journal, checkpoints })
  return {
    folder,
    editor,
    journal,
    checkpoints,
    context,
    onDisk: (name) => readFile(path.join(folder.root, name), 'utf8'),
    edit: (args) => runTool(smartEdit, args, context),
    async dispose() {
      await code.dispose()
      db.close()
      await Promise.all([folder.remove(), data.remove()])
    },
  }
}

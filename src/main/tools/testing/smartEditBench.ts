import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createCheckpoints, type Checkpoints } from '../../history/checkpoints/checkpoints.ts'
import { openDatabase } from '../../history/database.ts'
import { createFileOperations } from '../../workspace/fileOperations.ts'
import { createRestoreTarget } from '../../workspace/restoreTarget.ts'
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
import { openIndex } from '../../testing/indexedFolder.ts'

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
  const services = await openIndex(folder.root, data.root, editor)
  const { workspace, documents, code } = services
  const target = createRestoreTarget(workspace, documents, createFileOperations(workspace), () => undefined)
  const checkpoints = createCheckpoints({ db, root: folder.root, userData: data.root, target })
  const context = await testContext(folder.root, { ...services, editor, journal, checkpoints })
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

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../shared/tools/approval.ts'
import type { Mode, ToolsetName } from '../../shared/tools/risk.ts'
import { createGate } from '../approval/gate.ts'
import { createJobs } from '../command/jobs.ts'
import type { Jobs } from '../command/jobTypes.ts'
import { testExaminer } from '../approval/testing/testExaminer.ts'
import { openDatabase } from '../history/database.ts'
import { createEditJournal, type EditJournal } from '../history/editJournal.ts'
import { createSearch } from '../search/search.ts'
import { createExecutor } from './executor.ts'
import type { Executor } from './executorTypes.ts'
import { createToolRegistry } from './toolRegistry.ts'
import { rustantToolset } from './rustant/rustantToolset.ts'
import { rustyToolset } from './rusty/rustyToolset.ts'
import { temporaryFolder, testContext } from './testing/toolContext.ts'
import { ultraSushiTronToolset } from './ultrasushitron/ultraSushiTronToolset.ts'

// The tools of the other toolsets, through the executor.

const toolsets = [ultraSushiTronToolset, rustantToolset, rustyToolset]
const body: Partial<Record<ToolsetName, string>> = {
  ultrasushitron: 'println!("old");',
  rustant: 'old();',
  rusty: 'println!("Hello");',
}
const rustyLib =
  'use std::io;\n\npub fn read_input() -> String {\n    let mut input = String::new();\n    std::io::stdin().read_line(&mut input).unwrap();\n    input\n}\n'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let jobs: Jobs
let executor: Executor
let journal: EditJournal
let asked: ApprovalRequest[]

async function open(toolset: ToolsetName): Promise<void> {
  folder = await temporaryFolder({
    'src/main.rs': `fn main() {\n    ${body[toolset]}\n}\n${'// more\n'.repeat(60)}`,
    'src/lib.rs': toolset === 'rusty' ? rustyLib : 'fn old_name() {}\nfn execute() { old_name() }\n',
    'src/a.proto': '',
    'old_config.toml': 'port = 1\n',
    'new_config.toml': 'port = 2\n',
    'windows.txt': 'x\r\ny\r\n',
  })
  jobs = createJobs({ workspaceRoot: folder.root, graceMs: 300, onChanged: () => undefined, onOutput: () => undefined })
  const context = await testContext(folder.root, { jobs })
  const { documents, files, workspace } = context
  const exists = async (name: string) => (await workspace.resolve(name, { missing: 'allow' })).exists
  journal = createEditJournal((await openDatabase(data.root)).db, folder.root, {
    read: async (name) => ((await exists(name)) ? (await documents.read(name)).text : null),
    write: async (name, text) =>
      void ((await exists(name))
        ? await documents.edit(await documents.read(name), text)
        : await documents.write(name, text)),
    remove: async (name) => void (await files.delete(name)),
  })
  const services = { ...context, search: createSearch(workspace), journal }
  asked = []
  executor = createExecutor({
    gate: createGate({
      examine: testExaminer(),
      onRequested: (request) => asked.push(request),
      onResolved: () => undefined,
    }),
    registry: createToolRegistry(toolsets),
    services: () => services,
    fullTexts: { save: () => undefined, load: () => undefined },
  })
}

beforeEach(async () => {
  data = await temporaryFolder()
})
afterEach(async () => {
  await jobs.dispose()
  await folder.remove()
  await data.remove()
})

const call = (toolset: ToolsetName, name: string, args: unknown, mode: Mode = 'yolo') =>
  executor.call({
    callId: 'c',
    name,
    arguments: args,
    toolset,
    mode,
    attended: true,
    signal: new AbortController().signal,
  })
const onDisk = (name: string) => readFile(path.join(folder.root, name), 'utf8')

it('a patch of several files is undone as one edit, each file in its own format', async () => {
  await open('rusty')
  const before = await onDisk('src/main.rs')
  const patch =
    '*** Begin Patch\n*** Add File: n.txt\n+n\n*** Update File: src/main.rs\n@@ fn main\n-    println!("Hello");\n+    run();\n*** Update File: windows.txt\n*** Move to: w/moved.txt\n-x\n+X\n*** Delete File: old_config.toml\n*** End Patch'
  const result = await call('rusty', 'apply_patch', { patch })
  expect(await onDisk('w/moved.txt')).toBe('X\r\ny\r\n')
  if (result.view.kind !== 'diff' || result.view.editId === undefined) throw new Error(result.text)
  await journal.undo(result.view.editId)
  expect([await onDisk('src/main.rs'), await onDisk('windows.txt'), await onDisk('old_config.toml')]).toEqual([
    before,
    'x\r\ny\r\n',
    'port = 1\n',
  ])
  await expect(onDisk('w/moved.txt')).rejects.toThrow('ENOENT')
  await expect(onDisk('n.txt')).rejects.toThrow('ENOENT')
})

it('an invalid patch is refused without an approval request', async () => {
  await open('rusty')
  expect(await call('rusty', 'apply_patch', { patch: '*** Begin Patch\nhello\n*** End Patch' }, 'safe')).toMatchObject({
    ok: false,
    error: { code: 'invalid_arguments' },
  })
  expect(asked).toEqual([])
})

it('plan mode refuses writes, and allows a dry run', async () => {
  await open('ultrasushitron')
  const patch = '@@ -1,2 +1,2 @@\n fn main() {\n-    println!("old");\n+    run();\n'
  expect(await call('ultrasushitron', 'Patch', { file_path: 'src/main.rs', patch }, 'plan')).toMatchObject({
    ok: false,
    error: { code: 'not_in_plan_mode' },
  })
  expect(
    await call('ultrasushitron', 'Patch', { file_path: 'src/main.rs', patch, dry_run: true }, 'plan'),
  ).toMatchObject({ ok: true })
})

import { hash } from 'node:crypto'
import { appendFile, chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { settingsSchema, type Settings } from '../../../shared/settings/settings.ts'
import { fakeEditor, temporaryFolder } from '../../tools/testing/toolContext.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { createDocuments } from '../../workspace/documents.ts'
import { createFileOperations } from '../../workspace/fileOperations.ts'
import { createRestoreTarget } from '../../workspace/restoreTarget.ts'
import { createContentReader } from '../../workspaceServices/recordedChanges.ts'
import { createCheckpoints, type Checkpoints } from '../checkpoints/checkpoints.ts'
import { createConversationStore } from '../conversations.ts'
import { openDatabase } from '../database.ts'
import { createLocalHistory, type LocalHistory } from './localHistory.ts'
import type { HistoryLimits } from './versionRows.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let db: DatabaseSync
let checkpoints: Checkpoints
let history: LocalHistory
let settings: Settings['localHistory']
let changed: string[][]

const at = (name: string) => path.join(folder.root, name)
const textOf = async (name: string, id: string) => String((await history.content(name, id)).bytes)

async function create(limits?: HistoryLimits): Promise<LocalHistory> {
  return createLocalHistory({
    db,
    workspace: folder.root,
    checkpoints,
    settings: () => settings,
    isSecret: (name) => name.endsWith('.env'),
    read: createContentReader(await openWorkspace(folder.root)),
    onChanged: (paths) => changed.push(paths),
    ...(limits && { limits }),
  })
}

/** Waits until what came before is recorded. */
const recorded = () => history.deleting('missing.txt')

/** Returns the versions of a file as `source: text`, newest first. */
async function versions(name: string): Promise<string[]> {
  await recorded()
  const found = []
  for (const { id, source } of await history.list(name)) found.push(`${source}: ${await textOf(name, id)}`)
  return found
}

/** Saves a file as a tab does. */
async function save(name: string, text: string): Promise<void> {
  const before = await history.contentBefore(name)
  await writeFile(at(name), text)
  history.written(name, 'saved', before)
  await recorded()
}

/** Lets time pass until the next save is a version of its own. */
const afterMergeWindow = () => vi.setSystemTime(Date.now() + 11_000)

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  folder = await temporaryFolder({ 'a.txt': 'one' })
  data = await temporaryFolder()
  db = (await openDatabase(data.root)).db
  const workspace = await openWorkspace(folder.root)
  const target = createRestoreTarget(
    workspace,
    createDocuments(workspace, fakeEditor()),
    createFileOperations(workspace),
    () => undefined,
  )
  checkpoints = createCheckpoints({ db, root: folder.root, userData: data.root, target, limits: { grace: 0 } })
  settings = settingsSchema.parse({}).localHistory
  changed = []
  history = await create()
})
afterEach(async () => {
  await history.close()
  await checkpoints.close()
  db.close()
  vi.useRealTimers()
  await Promise.all([folder.remove(), data.remove()])
})

it('the text before the first save and the text of each save are versions', async () => {
  await save('a.txt', 'two')
  afterMergeWindow()
  await save('a.txt', 'three')
  expect(await versions('a.txt')).toEqual(['saved: three', 'saved: two', 'earlier: one'])
  expect(changed).toContainEqual(['a.txt'])
})

it('saves within the merge window are one version', async () => {
  await save('a.txt', 'two')
  await save('a.txt', 'three')
  expect(await versions('a.txt')).toEqual(['saved: three', 'earlier: one'])
})

it('a text that was saved without a change is no version', async () => {
  await save('a.txt', 'two')
  afterMergeWindow()
  await save('a.txt', 'two')
  expect(await versions('a.txt')).toEqual(['saved: two', 'earlier: one'])
})

it('secret files, large files and, with the history off, all files are not stored', async () => {
  await save('.env', 'KEY=1')
  settings = { ...settings, maxFileSize: 1 }
  await save('large.txt', 'x'.repeat(1025))
  settings = { ...settings, enabled: false }
  await save('a.txt', 'two')
  expect(history.files()).toEqual([])
})

it('a file keeps its newest versions up to the limit', async () => {
  settings = { ...settings, maxFileEntries: 3 }
  for (const text of ['two', 'three', 'four', 'five']) {
    await save('a.txt', text)
    afterMergeWindow()
  }
  expect(await versions('a.txt')).toEqual(['saved: five', 'saved: four', 'saved: three'])
})

it('the oldest versions of a folder are deleted beyond its limit', async () => {
  history = await create({ versions: 5, bytes: 1_000_000 })
  for (let index = 0; index < 20; index += 1) await save(`${index}.txt`, 'text')
  expect(history.files()).toHaveLength(5)
})

it('a change by another program is a version, after the text that a tab had', async () => {
  await appendFile(at('a.txt'), ' and two')
  history.replacedOnDisk({ path: 'a.txt', bytes: Buffer.from('one'), modified: Date.now() - 1000 })
  expect(await versions('a.txt')).toEqual(['external: one and two', 'earlier: one'])
})

it('a version has the permissions of its file', async () => {
  await chmod(at('a.txt'), 0o600)
  const { id } = await checkpoints.take({ reason: 'first' })
  expect((await history.content('a.txt', `c${id}`)).mode).toBe(0o600)
  await writeFile(at('a.txt'), 'two')
  history.replacedOnDisk({ path: 'a.txt', bytes: Buffer.from('one'), modified: Date.now() - 1000 })
  await recorded()
  const modes = (await history.list('a.txt')).map(async (version) => (await history.content('a.txt', version.id)).mode)
  expect(await Promise.all(modes)).toEqual([0o600, 0o600])
})

it('what a tab reads while another program still writes is no version', async () => {
  await save('a.txt', 'two')
  await writeFile(at('a.txt'), 'by a script')
  const read = (text: string) => ({ path: 'a.txt', bytes: Buffer.from(text), modified: Date.now() })
  history.replacedOnDisk(read('two'))
  // A program that writes a file empties it first.
  history.replacedOnDisk(read(''))
  expect(await versions('a.txt')).toEqual(['external: by a script', 'saved: two', 'earlier: one'])
})

it('a change on disk is recorded if the file has versions', async () => {
  await save('a.txt', 'two')
  await writeFile(at('a.txt'), 'three')
  await writeFile(at('b.txt'), 'new')
  history.changedOnDisk(['a.txt', 'b.txt'])
  await vi.waitFor(async () => expect((await versions('a.txt'))[0]).toBe('external: three'), { timeout: 3000 })
  expect(history.files().map((file) => file.path)).toEqual(['a.txt'])
})

it('after more changes than are known, the files with versions are looked at', async () => {
  await save('a.txt', 'two')
  await writeFile(at('a.txt'), 'three')
  history.changedOnDisk(null)
  await vi.waitFor(async () => expect((await versions('a.txt'))[0]).toBe('external: three'), { timeout: 10_000 })
})

/** Stores a content as a scan does. */
async function entry(name: string, text: string) {
  const digest = hash('sha256', text)
  await checkpoints.contents.put(digest, Buffer.from(text))
  return { kind: 'file' as const, name, hash: digest, mode: 0o644, size: text.length, stamp: '' }
}

it('a change by the agent has the title of its conversation, also if the watcher reported it first', async () => {
  const about = { id: 'c', createdAt: 1, updatedAt: 1, workspace: folder.root, mode: 'safe', toolset: 'blade' } as const
  createConversationStore(db).add({ ...about, title: 'Fix the numbers' }, [
    { kind: 'user', id: 'message-1', text: 'do it', at: 1 },
  ])
  const [before, after] = [await entry('a.txt', 'one'), await entry('a.txt', 'two')]
  await writeFile(at('a.txt'), 'two')
  history.replacedOnDisk({ path: 'a.txt', bytes: Buffer.from('one'), modified: 1 })
  history.agentChanged([{ path: 'a.txt', before, after }], 'message-1')
  expect(await versions('a.txt')).toEqual(['agent: two', 'earlier: one'])
  expect((await history.list('a.txt'))[0]).toMatchObject({ source: 'agent', detail: 'Fix the numbers' })
})

it('the last text of a deleted file can be restored, whoever deleted it', async () => {
  await history.deleting('a.txt')
  await rm(at('a.txt'))
  history.agentChanged([{ path: 'b.txt', before: await entry('b.txt', 'last') }], null)
  expect(await versions('a.txt')).toEqual(['deleted: one'])
  expect(await versions('b.txt')).toEqual(['deleted: last'])
  expect(
    history
      .files()
      .map((file) => file.path)
      .toSorted(),
  ).toEqual(['a.txt', 'b.txt'])
})

it('versions move with their file and its folder', async () => {
  await mkdir(at('src'))
  await save('src/b.txt', 'b')
  await save('srcs.txt', 'c')
  history.moved('src', 'lib')
  expect(await versions('lib/b.txt')).toEqual(['saved: b'])
  expect(await versions('srcs.txt')).toEqual(['saved: c'])
})

it('different contents in checkpoints are versions, with the oldest checkpoint of each', async () => {
  await checkpoints.take({ reason: 'first' })
  await checkpoints.take({ reason: 'second' })
  await mkdir(at('src'))
  await writeFile(at('src/b.txt'), 'b')
  await writeFile(at('a.txt'), 'two')
  await checkpoints.take({ reason: 'third' })
  expect((await history.list('a.txt')).map(({ source, detail }) => [source, detail])).toEqual([
    ['checkpoint', 'third'],
    ['checkpoint', 'first'],
  ])
  expect(await versions('a.txt')).toEqual(['checkpoint: two', 'checkpoint: one'])
  expect(await versions('src/b.txt')).toEqual(['checkpoint: b'])
  expect(await versions('src/missing/c.txt')).toEqual([])
})

it('the contents of versions survive the deletion of unreferenced contents', async () => {
  await save('a.txt', 'two')
  await checkpoints.forget([], true)
  expect(await versions('a.txt')).toEqual(['saved: two', 'earlier: one'])
  expect(await readFile(at('a.txt'), 'utf8')).toBe('two')
})

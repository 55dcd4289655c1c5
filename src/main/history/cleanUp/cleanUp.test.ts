import { hash as sha256 } from 'node:crypto'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTemporaryStore, type TemporaryStore } from '../../testing/conversationStore.ts'
import { forgetCheckpoints } from '../checkpoints/checkpointStorage.ts'
import { createBlobs } from '../checkpoints/blobs.ts'
import { hashOf } from '../checkpoints/entries.ts'
import { createManifests, serializeFolder } from '../checkpoints/manifests.ts'
import type { ConversationStore } from '../conversations.ts'
import type { OpenedDatabase } from '../database.ts'
import { createCleanUp, type CleanUpDeps } from './cleanUp.ts'
import { filesBelow, readStorageSizes } from './storageSizes.ts'

const day = 24 * 60 * 60 * 1000
const root = '/w'
let data: TemporaryStore
let opened: OpenedDatabase
let store: ConversationStore

beforeEach(async () => {
  data = await openTemporaryStore()
  ;({ opened, store } = data)
})
afterEach(() => data.close())

/** Adds a conversation of about `kilobytes`, last changed `age` days ago. */
function addConversation(id: string, age: number, { kilobytes = 1, pinned = false } = {}): void {
  store.add(
    {
      id,
      workspace: root,
      title: id,
      createdAt: 1,
      updatedAt: Date.now() - age * day,
      mode: 'safe',
      toolset: 'blade',
      ...(pinned && { pinned }),
    },
    [{ id: `${id}-1`, kind: 'user', at: 1, text: 'x'.repeat(kilobytes * 512) }],
  )
}

/** Adds a checkpoint with one file of the same age. */
async function addCheckpoint(text: string, age: number, conversationId?: string): Promise<void> {
  const content = Buffer.from(text)
  const hash = await hashOf(content)
  await createBlobs(join(data.root, 'checkpoints', sha256('sha256', root).slice(0, 32)), 0).put(hash, content)
  const at = Date.now() - age * day
  for (const { path } of await filesBelow(join(data.root, 'checkpoints')))
    if (path.endsWith(hash.slice(2))) await utimes(path, at / 1000, at / 1000)
  const folder = serializeFolder([
    { kind: 'file', name: `${text}.txt`, hash, size: content.length, mode: 0o644, stamp: '' },
  ])
  createManifests(opened.db, root).add(
    { at, reason: 'test', conversationId, files: 1, omittedCount: 0 },
    folder.hash,
    new Map([[folder.hash, () => folder.entries]]),
  )
}

async function addIndex(name: string, age: number): Promise<string> {
  const folder = join(data.root, 'code-index')
  await mkdir(folder, { recursive: true })
  const at = (Date.now() - age * day) / 1000
  for (const ending of ['.db', '.db-wal']) {
    await writeFile(join(folder, name + ending), 'index')
    await utimes(join(folder, name + ending), at, at)
  }
  return join(folder, `${name}.db`)
}

const cleanUp = (limits: Partial<ReturnType<CleanUpDeps['limits']>>, deps: Partial<CleanUpDeps> = {}) =>
  createCleanUp({
    db: opened.db,
    userData: data.root,
    limits: () => ({ maxAgeDays: null, maxMegabytes: null, ...limits }),
    inUse: () => [],
    deleteConversation: async (id) => store.delete(id),
    forgetCheckpoints: (workspace, ids, sweep) =>
      forgetCheckpoints({ db: opened.db, root: workspace, userData: data.root }, ids, sweep),
    openIndex: () => undefined,
    otherProcesses: () => 0,
    ...deps,
  })
const conversations = () =>
  store
    .list(root)
    .map(({ id }) => id)
    .toSorted()
const contents = async () => (await filesBelow(join(data.root, 'checkpoints'))).length

describe('a clean-up', () => {
  it('deletes nothing without limits', async () => {
    addConversation('old', 5000)
    await addCheckpoint('old', 5000)
    await addIndex('old', 5000)
    const nothing = {
      conversations: { count: 0, bytes: 0 },
      checkpoints: 0,
      codeIndex: { count: 0, bytes: 0 },
      sharedFilesKept: false,
    }
    expect(await cleanUp({}).run()).toEqual(nothing)
    expect([conversations(), await contents()]).toEqual([['old'], 1])
  })

  it('deletes old conversations with their checkpoints, but not those that are pinned, new or in use', async () => {
    for (const [id, age] of [
      ['old', 40],
      ['new', 3],
      ['used', 40],
    ] as const)
      addConversation(id, age)
    addConversation('pinned', 400, { pinned: true })
    for (const id of ['old', 'new', 'used', 'pinned']) await addCheckpoint(id, 50, id)
    await addCheckpoint('of no conversation', 50)
    const { plan, run } = cleanUp({ maxAgeDays: 30 }, { inUse: () => ['used'] })
    const planned = await plan()
    expect(planned).toMatchObject({ conversations: { count: 1, bytes: expect.any(Number) }, checkpoints: 2 })
    expect([conversations(), await contents()]).toEqual([['new', 'old', 'pinned', 'used'], 5])
    expect(await run()).toEqual(planned)
    expect(conversations()).toEqual(['new', 'pinned', 'used'])
    expect(
      createManifests(opened.db, root)
        .list()
        .map(({ conversationId }) => conversationId ?? '')
        .toSorted(),
    ).toEqual(['new', 'pinned', 'used'])
    expect(await contents()).toBe(3)
  })

  it('deletes the oldest conversations until the size limit is met', async () => {
    for (const age of [1, 2, 3, 4]) addConversation(`age${age}`, age, { kilobytes: 400 })
    addConversation('pinned', 9, { kilobytes: 400, pinned: true })
    const before = (await readStorageSizes(opened.db, data.root)).conversations
    await cleanUp({ maxMegabytes: 1 }).run()
    expect(conversations()).toEqual(['age1', 'pinned'])
    const after = (await readStorageSizes(opened.db, data.root)).conversations
    expect(before.count).toBe(5)
    expect(after).toMatchObject({ count: 2 })
    expect(after.bytes).toBeLessThanOrEqual(1024 * 1024)
  })

  it('frees the space on disk', async () => {
    for (let each = 0; each < 10; each += 1) addConversation(`c${each}`, 40, { kilobytes: 500 })
    const pages = () => Number(opened.db.prepare('PRAGMA page_count').get()?.page_count)
    const before = pages()
    await cleanUp({ maxAgeDays: 30 }).run()
    expect(pages()).toBeLessThan(before / 10)
  })

  it('deletes old code indexes except that of the open folder', async () => {
    await addIndex('old', 40)
    await addIndex('new', 3)
    const open = await addIndex('open', 40)
    expect(await cleanUp({ maxAgeDays: 30 }, { openIndex: () => open }).run()).toMatchObject({
      codeIndex: { count: 1, bytes: 10 },
    })
    expect((await readdir(join(data.root, 'code-index'))).toSorted()).toEqual([
      'new.db',
      'new.db-wal',
      'open.db',
      'open.db-wal',
    ])
  })

  it('does not delete files that another process may be using', async () => {
    addConversation('old', 40)
    await addCheckpoint('old', 40, 'old')
    await addIndex('old', 40)
    expect(await cleanUp({ maxAgeDays: 30 }, { otherProcesses: () => 1 }).run()).toMatchObject({
      conversations: { count: 1 },
      checkpoints: 1,
      codeIndex: { count: 0 },
      sharedFilesKept: true,
    })
    expect([conversations(), await contents(), await readdir(join(data.root, 'code-index'))]).toEqual([
      [],
      1,
      ['old.db', 'old.db-wal'],
    ])
  })

  it('deletes each conversation once if it is started twice', async () => {
    addConversation('old', 40)
    const deleted: string[] = []
    const { run } = cleanUp(
      { maxAgeDays: 30 },
      {
        deleteConversation: async (id) => {
          deleted.push(id)
          store.delete(id)
        },
      },
    )
    await Promise.all([run(), run()])
    expect(deleted).toEqual(['old'])
  })
})

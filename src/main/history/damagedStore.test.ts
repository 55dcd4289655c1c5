import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConversationInfo } from '../../shared/agent/conversation.ts'
import { createIsolatedJobs } from '../base/isolatedJob.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createConversationStore } from './conversations.ts'
import { openDatabase, type OpenedDatabase } from './database.ts'
import { keepStoreCopy } from './storeCopy.ts'

let data: Awaited<ReturnType<typeof temporaryFolder>>
let file: string
const opened: OpenedDatabase[] = []
let child: ChildProcess | undefined
const conversations = 60

beforeEach(async () => {
  data = await temporaryFolder()
  file = path.join(data.root, 'tizona.db')
})
afterEach(async () => {
  child?.kill('SIGKILL')
  for (const one of opened.splice(0)) if (one.db.isOpen) one.db.close()
  await data.remove()
})

const openStore = async (onDamaged?: (message: string) => void) => {
  const one = await openDatabase(data.root, onDamaged)
  opened.push(one)
  return one
}

/** Opens the store as a new process does, which knows nothing of uses that were not closed. */
async function openInNewProcess(): Promise<OpenedDatabase> {
  vi.resetModules()
  const database = await import('./database.ts')
  const one = await database.openDatabase(data.root)
  opened.push(one)
  return one
}

const info = (id: string): ConversationInfo => ({
  id,
  workspace: '/w',
  title: id,
  createdAt: 1,
  updatedAt: 2,
  mode: 'safe',
  toolset: 'blade',
})

/** Creates a closed store with conversations of a few pages each. */
async function fill(): Promise<void> {
  const { db, close } = await openStore()
  const store = createConversationStore(db)
  for (let number = 0; number < conversations; number += 1) {
    store.add(info(`c${number}`), [{ id: 'u', kind: 'user', at: 1, text: `message ${number} ${'x'.repeat(9000)}` }])
  }
  close()
}

/** Overwrites bytes of a file in place. */
async function damage(name: string, at: number, length: number): Promise<void> {
  const handle = await open(name, 'r+')
  await handle.write(Buffer.alloc(length, 0xa5), 0, length, at)
  await handle.close()
}

const kept = (db: OpenedDatabase['db']) => {
  const store = createConversationStore(db)
  return store.list('/w').filter(({ id }) => store.items(id).length === 1).length
}
const aside = async () =>
  (await readdir(data.root)).filter((name) => /\.broken-\d{4}-\d\d-\d\dT/.test(name) && !name.endsWith('-wal'))

describe('a damaged store', () => {
  it.each([
    [
      'a late page',
      async () => damage(file, Math.floor((await stat(file)).size / 4096 / 2) * 4096, 4096),
      conversations - 10,
    ],
    ['the last page', async () => damage(file, (await stat(file)).size - 4096, 4096), conversations - 10],
    ['the header', () => damage(file, 0, 100), conversations],
    [
      'a file that was cut off',
      async () => truncate(file, Math.floor(((await stat(file)).size / 4096) * 0.75) * 4096),
      conversations / 2,
    ],
    [
      'a file that was cut off within a page',
      async () => truncate(file, Math.floor((await stat(file)).size * 0.75) - 100),
      conversations / 2,
    ],
  ])('%s: readable data is copied to a new store, and the damaged file is kept', async (_name, harm, least) => {
    await fill()
    await harm()
    const before = (await stat(file)).size
    const { db, problem, damagedStorePath, close } = await openStore()
    expect(problem).toMatch(/was damaged.*created with \d+ conversations?/)
    expect(problem).toContain(damagedStorePath)
    expect(kept(db)).toBeGreaterThanOrEqual(least)
    expect(await aside()).toEqual([path.basename(damagedStorePath ?? '')])
    expect((await stat(damagedStorePath ?? '')).size).toBe(before)
    // The new store is intact and writable.
    createConversationStore(db).save(info('new'))
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    close()
    expect((await openStore()).problem).toBeUndefined()
    expect(await aside()).toHaveLength(1)
  })

  it.each([['not a database', () => writeFile(file, 'this is no database'.repeat(2000))]])(
    '%s: a new store is created, and the file is kept',
    async (_name, make) => {
      await make()
      const { db, problem } = await openStore()
      expect(problem).toMatch(/contained no readable data/)
      expect(kept(db)).toBe(0)
      expect(await aside()).toHaveLength(1)
    },
  )

  it('a damaged write-ahead log loses only its own rows', async () => {
    await fill()
    const script = `
      const { openDatabase } = await import(${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, 'database.ts')).href)})
      const { createConversationStore } = await import(${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, 'conversations.ts')).href)})
      const store = createConversationStore((await openDatabase(${JSON.stringify(data.root)})).db)
      for (let number = 0; number < 20; number += 1) store.save({ id: 'w' + number, workspace: '/w', title: 'w', createdAt: 1, updatedAt: 2, mode: 'safe', toolset: 'blade' })
      console.log('written')
      setInterval(() => {}, 1000)`
    child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (child.stdout) await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await damage(`${file}-wal`, Math.floor((await stat(`${file}-wal`)).size / 2), 5000)
    const { db } = await openStore()
    expect(kept(db)).toBe(conversations)
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  })

  it('detected during use is reported once, and repaired at the next start', async () => {
    await fill()
    const messages: string[] = []
    const { db, close } = await openStore((message) => messages.push(message))
    const store = createConversationStore(db)
    const size = (await stat(file)).size
    // All pages but the first few, because the schema stays in memory.
    await damage(file, 5 * 4096, size - 5 * 4096)
    const read = () => Array.from({ length: conversations }, (_, number) => store.items(`c${number}`))
    expect(read).toThrow(
      expect.objectContaining({
        code: 'io_error',
        message: expect.stringContaining('Its file is damaged'),
        next: expect.stringContaining('Restart'),
      }),
    )
    expect(read).toThrow()
    expect(messages).toEqual([expect.stringContaining('damaged')])
    close()
    expect((await openStore()).problem).toMatch(/was damaged/)
  })

  it('is not repaired while another process uses it', async () => {
    await fill()
    const script = `
      const { openDatabase } = await import(${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, 'database.ts')).href)})
      await openDatabase(${JSON.stringify(data.root)})
      console.log('open')
      setInterval(() => {}, 1000)`
    child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (child.stdout) await once(child.stdout, 'data')
    await damage(file, Math.floor((await stat(file)).size / 4096 / 2) * 4096, 4096)
    const beside = await openStore()
    expect(await aside()).toEqual([])
    beside.db.close()
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect((await openInNewProcess()).problem).toMatch(/A new one was created/)
  })
})

describe('an intact store', () => {
  it('is not checked after a clean close, even if others had it open', async () => {
    await fill()
    const { db, close } = await openStore()
    createConversationStore(db).save(info('more'))
    close()
    const { beginStoreUse } = await import('./storeUse.ts')
    expect(beginStoreUse(file).mustCheck).toBe(false)
  })

  it('is checked after its process was killed, without a notice', async () => {
    await fill()
    const { db } = await openStore()
    createConversationStore(db).save(info('more'))
    vi.resetModules()
    const { beginStoreUse } = await import('./storeUse.ts')
    expect(beginStoreUse(file).mustCheck).toBe(true)
    const again = await openInNewProcess()
    expect([again.problem, kept(again.db)]).toEqual([undefined, conversations])
  })
})

describe('the daily copy of the store', () => {
  const copy = () => path.join(data.root, 'tizona.db.copy')
  const makeCopy = async () => {
    const run = createIsolatedJobs()
    const limits = { cpuMs: 60_000, wallMs: 600_000, memoryMb: 512 }
    const job = { file, copy: copy() }
    await run(path.join(import.meta.dirname, 'storeCopyWorker.ts'), job, limits, new AbortController().signal)
  }

  it('has the content of a store in use, and only its user can read it', async () => {
    await fill()
    const { db } = await openStore()
    createConversationStore(db).save(info('uncheckpointed'))
    await makeCopy()
    const copied = new DatabaseSync(copy(), { readOnly: true })
    expect(copied.prepare('SELECT count(*) AS count FROM conversations').get()).toEqual({ count: conversations + 1 })
    copied.close()
    expect((await stat(copy())).mode & 0o777).toBe(0o600)
    expect((await readdir(data.root)).filter((name) => name.startsWith('tizona.db.copy'))).toEqual(['tizona.db.copy'])
  })

  it('is complete when several processes make it at once, and what a killed one left is removed', async () => {
    await fill()
    const left = `${copy()}.left.new`
    await writeFile(left, 'half')
    await utimes(left, 0, 0)
    await Promise.all([makeCopy(), makeCopy(), makeCopy()])
    const copied = new DatabaseSync(copy(), { readOnly: true })
    expect(copied.prepare('SELECT count(*) AS count FROM conversations').get()).toEqual({ count: conversations })
    copied.close()
    expect((await readdir(data.root)).filter((name) => name.startsWith('tizona.db.copy'))).toEqual(['tizona.db.copy'])
  })

  it.each([
    ['missing', () => rm(file)],
    ['empty', () => truncate(file)],
  ])('replaces a store that is %s, with a notice', async (_, lose) => {
    await fill()
    await makeCopy()
    await lose()
    const { db, problem } = await openStore()
    expect(problem).toMatch(/missing or empty.*The copy from .* was restored/)
    expect(kept(db)).toBe(conversations)
  })

  it.each([
    ['missing', () => rm(file)],
    ['empty', () => truncate(file)],
  ])('without one, a store that is %s is reported, once', async (_, lose) => {
    await fill()
    await lose()
    const { problem, close } = await openStore()
    expect(problem).toMatch(/conversations are lost, and there is no copy/)
    close()
    expect((await openStore()).problem).toBeUndefined()
  })

  it('fills the gaps of a damaged store, and returns nothing that was deleted from an intact one', async () => {
    await fill()
    await makeCopy()
    const { db, close } = await openStore()
    createConversationStore(db).save(info('since the copy'))
    close()
    await damage(file, Math.floor((await stat(file)).size / 4096 / 2) * 4096, 4096)
    const repaired = await openStore()
    expect(repaired.problem).toContain('restored from the daily copy')
    expect(kept(repaired.db)).toBe(conversations)
    expect(createConversationStore(repaired.db).get('since the copy').title).toBe('since the copy')
  })

  it('is made by a running Tizona once a day', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    try {
      await writeFile(file, '')
      const jobs: unknown[] = []
      const stop = keepStoreCopy(file, async (_worker, job) => {
        jobs.push(job)
        await writeFile(copy(), '')
        await utimes(copy(), new Date(), new Date())
      })
      await vi.advanceTimersByTimeAsync(9000)
      expect(jobs).toHaveLength(0)
      await vi.advanceTimersByTimeAsync(2000)
      expect(jobs).toEqual([{ file, copy: copy() }])
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
      await vi.advanceTimersByTimeAsync(25 * 60 * 60 * 1000)
      await vi.waitFor(() => expect(jobs).toHaveLength(2))
      stop()
    } finally {
      vi.useRealTimers()
    }
  })
})

it('the first start of a new user has no notice', async () => {
  expect((await openStore()).problem).toBeUndefined()
})

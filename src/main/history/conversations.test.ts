import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ConversationInfo } from '../../shared/agent/conversation.ts'
import { createConversationStore } from './conversations.ts'
import { openDatabase } from './database.ts'
import { createFullTexts } from './fullTexts.ts'
import { createLayouts } from './layouts.ts'
import { fillSearchTexts } from './searchTexts.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tizona-history-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const info = (id: string, change: Partial<ConversationInfo> = {}): ConversationInfo => ({
  id,
  title: `Title ${id}`,
  createdAt: 1,
  updatedAt: 1,
  workspace: '/w',
  mode: 'safe',
  toolset: 'blade',
  ...change,
})

describe('conversation store', () => {
  it('keeps the order of items, replaces items in place, and persists without a clean close', async () => {
    const { db } = await openDatabase(folder)
    const store = createConversationStore(db)
    store.save(info('a', { model: { endpointId: 'e', model: 'm' } }))
    store.saveItem('a', { id: '1', kind: 'user', at: 1, text: 'first' })
    store.saveItem('a', { id: '2', kind: 'assistant', at: 2, text: 'half', reasoning: '', state: 'streaming' })
    store.saveItem('a', { id: '3', kind: 'user', at: 3, text: 'third' })
    store.saveItem('a', { id: '2', kind: 'assistant', at: 2, text: 'whole', reasoning: '', state: 'done' })

    const again = createConversationStore((await openDatabase(folder)).db)
    expect(again.get('a')).toEqual(info('a', { model: { endpointId: 'e', model: 'm' } }))
    expect(again.items('a').map((item) => [item.id, 'text' in item && item.text])).toEqual([
      ['1', 'first'],
      ['2', 'whole'],
      ['3', 'third'],
    ])
    db.close()
  })

  it('deletes the items after one, and a conversation with its items', async () => {
    const { db } = await openDatabase(folder)
    const store = createConversationStore(db)
    store.save(info('a'))
    for (const id of ['1', '2', '3']) store.saveItem('a', { id, kind: 'user', at: 1, text: id })
    store.truncate('a', '2')
    expect(store.items('a').map((item) => item.id)).toEqual(['1'])
    store.delete('a')
    expect(store.items('a')).toEqual([])
    expect(() => store.get('a')).toThrow('no longer exists')
  })

  it('lists the newest first per workspace, and finds titles and messages with literal wildcards', async () => {
    const { db } = await openDatabase(folder)
    const store = createConversationStore(db)
    store.save(info('old', { updatedAt: 1 }))
    store.save(info('new', { updatedAt: 2, title: '100% done' }))
    store.save(info('elsewhere', { workspace: '/other' }))
    store.saveItem('old', { id: '1', kind: 'user', at: 1, text: 'fix the parser' })
    expect(store.list('/w').map(({ id }) => id)).toEqual(['new', 'old'])
    expect(store.list('/w', 'parser').map(({ id }) => id)).toEqual(['old'])
    expect(store.list('/w', '0%').map(({ id }) => id)).toEqual(['new'])
    expect(store.list('/w', '%x')).toEqual([])
  })

  it('finds conversations with all words, matches in titles first, with an excerpt', async () => {
    const { db } = await openDatabase(folder)
    const store = createConversationStore(db)
    store.add(info('said', { updatedAt: 3 }), [
      { id: '1', kind: 'user', at: 1, text: 'please look at it' },
      {
        id: '2',
        kind: 'assistant',
        at: 2,
        text: `${'x '.repeat(100)}the Parser\nof dates is ${'y '.repeat(100)}`,
        reasoning: '',
        state: 'done',
      },
      {
        id: '3',
        kind: 'tool',
        at: 3,
        assistantId: '2',
        callId: 'k',
        name: 'codebase_search',
        arguments: '{}',
        state: 'done',
      },
    ])
    store.add(info('titled', { updatedAt: 1, title: 'Dates and their parser' }), [])
    store.add(info('half', { updatedAt: 4 }), [{ id: '1', kind: 'user', at: 1, text: 'parser' }])
    expect(store.list('/w', 'PARSER dates').map(({ id }) => id)).toEqual(['titled', 'said'])
    expect(store.list('/w', 'parser  dates')[1]?.excerpt).toMatch(/^…(x )+the Parser of dates is (y )+.{0,2}…$/)
    expect(store.list('/w', 'codebase_sea').map(({ id }) => id)).toEqual(['said'])
    expect(store.list('/w', '  ').map(({ id }) => id)).toEqual(['half', 'said', 'titled'])
  })

  it('lists pinned ones first, and adds a conversation with its items atomically', async () => {
    const { db } = await openDatabase(folder)
    const store = createConversationStore(db)
    store.save(info('pinned', { updatedAt: 1, pinned: true, forkedFrom: 'x' }))
    store.save(info('late', { updatedAt: 2 }))
    expect(store.list('/w')).toMatchObject([{ id: 'pinned', pinned: true, forkedFrom: 'x' }, { id: 'late' }])
    const broken = {
      id: '2',
      kind: 'user' as const,
      at: 1,
      text: 'b',
      get attachments(): never {
        throw new Error('cannot be written')
      },
    }
    expect(() => store.add(info('half'), [{ id: '1', kind: 'user', at: 1, text: 'a' }, broken])).toThrow(
      'cannot be written',
    )
    expect(store.list('/w')).toHaveLength(2)
    store.save(info('after'))
    expect(store.list('/w')).toHaveLength(3)
  })
})

describe('search in a store of an earlier version', () => {
  /** Creates a store of version 8, whose tool items have only the tool's name as text. */
  async function oldStore(items: number): Promise<void> {
    const { db, close } = await openDatabase(folder)
    const store = createConversationStore(db)
    store.save(info('a'))
    for (let index = 0; index < items; index += 1) {
      const result = {
        ok: true,
        text: `output number${index} harbour`,
        view: { kind: 'text' as const },
        elapsedMs: 1,
        arguments: {},
        truncated: false,
      }
      store.saveItem('a', {
        id: `t${index}`,
        kind: 'tool',
        at: index,
        assistantId: 'x',
        callId: 'c',
        name: 'run_command',
        arguments: '{}',
        state: 'done',
        result,
      })
    }
    store.saveItem('a', { id: 'u', kind: 'user', at: 1, text: 'hello' })
    db.exec(
      `UPDATE items SET text = 'run_command' WHERE id LIKE 't%'; DROP TABLE search_backfill; DROP TABLE review_state; ALTER TABLE conversations DROP COLUMN agent; ALTER TABLE conversations DROP COLUMN agent_session; ALTER TABLE conversations DROP COLUMN archived; PRAGMA user_version = 8`,
    )
    close()
  }
  const ids = (db: DatabaseSync, query: string): string[] =>
    createConversationStore(db)
      .list('/w', query)
      .map(({ id }) => id)

  it('finds tool output after the background migration, which runs once', async () => {
    await oldStore(3)
    const { db } = await openDatabase(folder)
    expect(ids(db, 'number2')).toEqual([])
    expect(await fillSearchTexts(db, new AbortController().signal)).toBe(3)
    expect([ids(db, 'number2'), ids(db, 'run_command'), ids(db, 'hello')]).toEqual([['a'], ['a'], ['a']])
    expect(await fillSearchTexts(db, new AbortController().signal)).toBe(0)
  })

  it('stops between small transactions when Tizona closes, and continues at the next start', async () => {
    await oldStore(250)
    const first = await openDatabase(folder)
    const closing = new AbortController()
    const stopped = fillSearchTexts(first.db, closing.signal)
    closing.abort()
    expect(await stopped).toBe(100)
    expect([ids(first.db, 'number99'), ids(first.db, 'number100')]).toEqual([['a'], []])
    first.close()
    const { db } = await openDatabase(folder)
    expect(await fillSearchTexts(db, new AbortController().signal)).toBe(150)
    expect(ids(db, 'number249')).toEqual(['a'])
  })

  it('does not change an invalid item', async () => {
    await oldStore(2)
    const { db } = await openDatabase(folder)
    db.exec("UPDATE items SET json = 'damaged' WHERE id = 't0'")
    expect(await fillSearchTexts(db, new AbortController().signal)).toBe(1)
    expect(ids(db, 'number1')).toEqual(['a'])
  })
})

describe('database', () => {
  it.skipIf(process.platform === 'win32')(
    'is private to its user, even in a shared folder and for a file of an earlier version',
    async () => {
      await chmod(folder, 0o755)
      await writeFile(join(folder, 'tizona.db'), '', { mode: 0o644 })
      const { db } = await openDatabase(folder)
      const names = await readdir(folder)
      expect(names).toContain('tizona.db-wal')
      // A folder also needs the permission to enter it.
      for (const name of names)
        expect([name, (await stat(join(folder, name))).mode & 0o777]).toEqual([
          name,
          name.endsWith('.users') ? 0o700 : 0o600,
        ])
      db.close()
    },
  )

  it('migrates a store of an earlier version with every conversation', async () => {
    const old = new DatabaseSync(join(folder, 'tizona.db'))
    old.exec(`
      CREATE TABLE conversations (
        id TEXT PRIMARY KEY, workspace TEXT NOT NULL, title TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
        mode TEXT NOT NULL, toolset TEXT NOT NULL, endpoint_id TEXT, model TEXT, runner TEXT) STRICT;
      CREATE TABLE items (
        conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE, id TEXT NOT NULL, position INTEGER NOT NULL,
        text TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (conversation_id, id)) STRICT;
      CREATE TABLE edits (
        id TEXT PRIMARY KEY, call_id TEXT NOT NULL, workspace TEXT NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL,
        undone INTEGER NOT NULL DEFAULT 0, changes TEXT NOT NULL) STRICT;
      INSERT INTO conversations VALUES ('a', '/w', 'Old', 1, 2, 'safe', 'blade', 'e', 'm', NULL);
      INSERT INTO items VALUES ('a', 'u', 1, 'hola', '{"id":"u","kind":"user","at":1,"text":"hola"}');
      PRAGMA user_version = 3`)
    old.close()
    const { db, damagedStorePath } = await openDatabase(folder)
    expect(damagedStorePath).toBeUndefined()
    const store = createConversationStore(db)
    expect(store.list('/w', 'hola')).toMatchObject([{ id: 'a', title: 'Old', model: { endpointId: 'e', model: 'm' } }])
    expect([store.queue('a'), store.items('a')]).toEqual([[], [{ id: 'u', kind: 'user', at: 1, text: 'hola' }]])
    expect(db.prepare('PRAGMA user_version').get()).toEqual(
      (await openDatabase(folder)).db.prepare('PRAGMA user_version').get(),
    )
  })

  it('moves a damaged store aside and creates a new one', async () => {
    await writeFile(
      join(folder, 'tizona.db'),
      'this is no database, and long enough to be read as a broken header'.repeat(20),
    )
    const { db, damagedStorePath } = await openDatabase(folder)
    createConversationStore(db).save(info('a'))
    expect(damagedStorePath).toContain('.broken-')
    expect((await readdir(folder)).some((name) => name.includes('.broken-'))).toBe(true)
  })

  it('keeps a limited number of full texts, and layouts per workspace', async () => {
    const { db } = await openDatabase(folder)
    const texts = createFullTexts(db)
    for (let index = 0; index < 305; index++) texts.save(`call-${index}`, `text ${index}`)
    expect(texts.load('call-304')).toBe('text 304')
    expect(texts.load('call-0')).toBeUndefined()
    const layouts = createLayouts(db)
    layouts.save('/w', '{}')
    expect([layouts.load('/w'), layouts.load('/x')]).toEqual(['{}', null])
  })

  it('limits the size of full texts: truncates a large one in the middle and deletes the oldest', async () => {
    const texts = createFullTexts((await openDatabase(folder)).db, { rows: 300, bytes: 20 * 1024 * 1024 })
    texts.save('huge', `begin ${'é'.repeat(6 * 1024 * 1024)} end`)
    const huge = texts.load('huge') ?? ''
    expect(Buffer.byteLength(huge)).toBeLessThan(8.1 * 1024 * 1024)
    expect(huge).toMatch(/^begin é/)
    expect(huge).toMatch(/é end$/)
    expect(huge).toMatch(/\n\[… 4,194,\d+ bytes omitted: a stored result is limited to 8 MB …\]\n/)
    expect(huge).not.toContain('\uFFFD')
    for (const id of ['1', '2']) texts.save(id, 'x'.repeat(8 * 1024 * 1024))
    expect([texts.load('huge'), texts.load('1')?.length]).toEqual([undefined, 8 * 1024 * 1024])
  })

  it('migrates a store of version 1: keeps full texts and drops edits with whole files', async () => {
    const old = new DatabaseSync(join(folder, 'tizona.db'))
    old.exec(`
      CREATE TABLE conversations (id TEXT PRIMARY KEY, workspace TEXT NOT NULL, title TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
        mode TEXT NOT NULL, toolset TEXT NOT NULL, endpoint_id TEXT, model TEXT) STRICT;
      CREATE TABLE items (conversation_id TEXT NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, text TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (conversation_id, id)) STRICT;
      CREATE TABLE full_texts (call_id TEXT PRIMARY KEY, saved_at INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
      CREATE TABLE edits (id TEXT PRIMARY KEY, call_id TEXT NOT NULL, workspace TEXT NOT NULL, at INTEGER NOT NULL, changes TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0) STRICT;
      CREATE TABLE layouts (workspace TEXT PRIMARY KEY, layout TEXT NOT NULL) STRICT;
      INSERT INTO full_texts VALUES ('kept', 1, 'text'), ('huge', 2, printf('%.*c', 9000000, 'x'));
      INSERT INTO edits VALUES ('e', 'c', '/w', 1, '[]', 0);
      PRAGMA user_version = 1;`)
    old.close()
    const { db, damagedStorePath } = await openDatabase(folder)
    expect(damagedStorePath).toBeUndefined()
    expect([createFullTexts(db).load('kept'), createFullTexts(db).load('huge')]).toEqual(['text', undefined])
    expect(db.prepare('SELECT count(*) AS edits FROM edits').get()?.edits).toBe(0)
  })
})

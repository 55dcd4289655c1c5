import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { createEditJournal, type EditJournal, type JournalChange } from './editJournal.ts'

let folder: string
const files = new Map<string, string>()
const access = {
  read: async (path: string) => files.get(path) ?? null,
  write: async (path: string, text: string) => void files.set(path, text),
  remove: async (path: string) => void files.delete(path),
}
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tizona-journal-'))
  files.clear()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function record(journal: EditJournal, changes: JournalChange[]): string {
  const id = journal.record('call', changes)
  if (id === undefined) throw new Error('The edit was not stored.')
  return id
}

describe('edit journal', () => {
  it('undoes a changed, a created and a deleted file together', async () => {
    const journal = createEditJournal((await openDatabase(folder)).db, '/w', access)
    files.set('changed', 'new').set('created', 'x')
    const id = record(journal, [
      { path: 'changed', before: 'old', after: 'new' },
      { path: 'created', before: null, after: 'x' },
      { path: 'deleted', before: 'was', after: null },
    ])
    expect(await journal.undo(id)).toEqual(['changed', 'created', 'deleted'])
    expect(Object.fromEntries(files)).toEqual({ changed: 'old', deleted: 'was' })
    await expect(journal.undo(id)).rejects.toThrow('already undone')
  })

  it('changes nothing if one of the files has changed since', async () => {
    const journal = createEditJournal((await openDatabase(folder)).db, '/w', access)
    files.set('a', 'new').set('b', 'edited by hand')
    const id = record(journal, [
      { path: 'a', before: 'old', after: 'new' },
      { path: 'b', before: 'old', after: 'new' },
    ])
    await expect(journal.undo(id)).rejects.toMatchObject({ code: 'conflict' })
    expect(files.get('a')).toBe('new')
  })

  it('does not fail because one of the files is restored already', async () => {
    const journal = createEditJournal((await openDatabase(folder)).db, '/w', access)
    files.set('a', 'new').set('b', 'old')
    const id = record(journal, [
      { path: 'a', before: 'old', after: 'new' },
      { path: 'b', before: 'old', after: 'new' },
      { path: 'c', before: null, after: 'new' },
    ])
    expect(await journal.undo(id)).toEqual(['a'])
    expect(Object.fromEntries(files)).toEqual({ a: 'old', b: 'old' })
  })

  it('contains only edits of its own workspace', async () => {
    const { db } = await openDatabase(folder)
    const id = record(createEditJournal(db, '/w', access), [{ path: 'a', before: null, after: 'x' }])
    await expect(createEditJournal(db, '/other', access).undo(id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('stores only the changed part of a large file', async () => {
    const { db } = await openDatabase(folder)
    const journal = createEditJournal(db, '/w', access)
    const before = `${'line\n'.repeat(1_000_000)}old\n${'line\n'.repeat(1_000_000)}`
    const after = before.replace('old', 'new and longer')
    const id = record(journal, [{ path: 'large', before, after }])
    expect(Number(db.prepare('SELECT sum(bytes) AS bytes FROM edits').get()?.bytes)).toBeLessThan(1_000)
    files.set('large', `${after}typed`)
    await expect(journal.undo(id)).rejects.toMatchObject({ code: 'conflict' })
    files.set('large', after)
    await journal.undo(id)
    expect(files.get('large') === before).toBe(true)
  })

  it('does not store an edit that replaced more than two megabytes, but stores one that added them', async () => {
    const journal = createEditJournal((await openDatabase(folder)).db, '/w', access)
    const large = 'x'.repeat(3 * 1024 * 1024)
    expect(journal.record('call', [{ path: 'a', before: large, after: 'y' }])).toBeUndefined()
    expect(journal.record('call', [{ path: 'a', before: large, after: null }])).toBeUndefined()
    files.set('new', large)
    await journal.undo(record(journal, [{ path: 'new', before: null, after: large }]))
    expect(files.has('new')).toBe(false)
  })

  it('deletes the oldest edits by size and frees the space', async () => {
    const { db } = await openDatabase(folder)
    const journal = createEditJournal(db, '/w', access, { rows: 2_000, bytes: 5_000_000 })
    const ids = Array.from({ length: 12 }, (_, index) =>
      record(journal, [{ path: 'a', before: `${index}`.repeat(1_000_000), after: null }]),
    )
    const kept = db
      .prepare('SELECT id FROM edits ORDER BY rowid')
      .all()
      .map((row) => row.id)
    expect(kept).toEqual(ids.slice(-kept.length))
    expect(kept.length).toBeLessThan(5)
    expect(Number(db.prepare('PRAGMA page_count').get()?.page_count) * 4096).toBeLessThan(12_000_000)
    await expect(journal.undo(ids[0] ?? '')).rejects.toMatchObject({ code: 'not_found' })
  })
})

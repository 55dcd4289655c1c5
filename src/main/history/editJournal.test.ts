import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { createEditJournal } from './editJournal.ts'

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

describe('edit journal', () => {
  it('takes back a changed, a created and a deleted file together', async () => {
    const journal = createEditJournal((await openDatabase(folder)).db, '/w', access)
    files.set('changed', 'new').set('created', 'x')
    const id = journal.record('call', [
      { path: 'changed', before: 'old', after: 'new' },
      { path: 'created', before: null, after: 'x' },
      { path: 'deleted', before: 'was', after: null },
    ])
    expect(await journal.undo(id)).toEqual(['changed', 'created', 'deleted'])
    expect(Object.fromEntries(files)).toEqual({ changed: 'old', deleted: 'was' })
    await expect(journal.undo(id)).rejects.toThrow('already taken back')
  })

  it('touches nothing when one of the files was changed since', async () => {
    const journal = createEditJournal((await openDatabase(folder)).db, '/w', access)
    files.set('a', 'new').set('b', 'edited by hand')
    const id = journal.record('call', [{ path: 'a', before: 'old', after: 'new' }, { path: 'b', before: 'old', after: 'new' }])
    await expect(journal.undo(id)).rejects.toMatchObject({ code: 'conflict' })
    expect(files.get('a')).toBe('new')
  })

  it("knows only its own workspace's edits", async () => {
    const { db } = await openDatabase(folder)
    const id = createEditJournal(db, '/w', access).record('call', [{ path: 'a', before: null, after: 'x' }])
    await expect(createEditJournal(db, '/other', access).undo(id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

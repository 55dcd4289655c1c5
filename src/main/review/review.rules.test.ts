import { beforeEach, describe, expect, it } from 'vitest'
import { memoryReview, type MemoryReview } from './testing/memoryReview.ts'

// Rules of the review, and the published bugs of other reviews as regression tests.

const pending = { kind: 'pending' } as const
const turns = (...ids: string[]) => ({ kind: 'turns', turns: new Set(ids) }) as const
const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join('')
let made: MemoryReview
beforeEach(() => {
  made = memoryReview()
  made.write('a', lines('1', '2', '3', '4', '5', '6', '7'))
})

const edit = (turn: string, path: string, text: string) => made.agent(turn, [path], () => made.write(path, text))
const undo = (path: string, ...hunks: string[]) =>
  made.review.undo(pending, [{ path, ...(hunks.length > 0 && { hunks }) }])
const listed = async (scope: Parameters<MemoryReview['review']['list']>[0] = pending) =>
  (await made.review.list(scope)).files.map(
    ({ path, change, added, removed }) => `${path} ${change} +${added} -${removed}`,
  )
async function hunkIds(path: string): Promise<string[]> {
  return (await made.review.hunks(pending, path)).hunkList.map(({ id }) => id)
}
async function hunkId(path: string, index: number): Promise<string> {
  return (await hunkIds(path))[index] ?? ''
}

describe('published bugs of other reviews', () => {
  it('rejecting a creation does not delete a file that the user had accepted (zed#35622)', async () => {
    await edit('t1', 'new', lines('created'))
    await made.review.keep(pending, [{ path: 'new' }])
    await edit('t2', 'new', lines('created', 'more'))
    expect(await undo('new')).toEqual({ changed: ['new'], skipped: [] })
    expect(made.text('new')).toBe(lines('created'))
  })

  it('rejecting all does not undo earlier keeps (zed#33234)', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', 'six', '7'))
    await made.review.keep(pending, [{ path: 'a', hunks: [await hunkId('a', 0)] }])
    await made.review.undo(pending, 'all')
    expect(made.text('a')).toBe(lines('1', 'two', '3', '4', '5', '6', '7'))
  })

  it('an undo in an unsaved tab does not write another copy to disk, and saving it keeps the undo (minga#2457)', async () => {
    made.type('a', lines('1', '2', '3', '4', '5', '6', '7', 'typed'))
    const call = await made.review.begin({ paths: ['a'], turn: 't1', program: false })
    const before = made.tabs.get('a') ?? ''
    const after = lines('1', 'two', '3', '4', '5', '6', '7', 'typed')
    made.type('a', after)
    await call.end([{ path: 'a', before, after }])
    expect(await listed()).toEqual(['a changed +1 -1'])
    await undo('a')
    expect(made.tabs.get('a')).toBe(before)
    expect(made.text('a')).toBe(lines('1', '2', '3', '4', '5', '6', '7'))
    made.write('a', before)
    made.tabs.delete('a')
    made.review.saved('a')
    expect(await listed()).toEqual([])
  })

  it('a kept file is listed again when the agent changes it again (opencode#32066)', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await made.review.keep(pending, 'all')
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', 'six', '7'))
    expect(await listed()).toEqual(['a changed +1 -1'])
    expect((await made.review.hunks(pending, 'a')).hunkList).toMatchObject([{ current: { start: 6, count: 1 } }])
  })

  it('a hunk that a later edit replaced is not a conflict (opencui#508)', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    const [first] = await hunkIds('a')
    await edit('t2', 'a', lines('1', 'zwei', '3', '4', '5', '6', '7'))
    expect(await undo('a', first ?? '')).toMatchObject({ changed: [], skipped: [{ path: 'a' }] })
    expect(made.text('a')).toContain('zwei')
    expect(await undo('a')).toEqual({ changed: ['a'], skipped: [] })
    expect(made.text('a')).toContain('2')
  })
})

describe('text of the agent that returns is a hunk again', () => {
  const before = lines('1', '2', '3', '4', '5', '6', '7')
  const after = lines('1', 'two', '3', '4', '5', 'six', '7')
  /** Changes the text in the editor and saves it, as the user does. */
  const save = async (path: string, text: string) => {
    made.type(path, text)
    await made.review.list(pending)
    made.write(path, text)
    made.tabs.delete(path)
    made.review.saved(path)
  }
  /** Changes a file as git does. */
  const git = (path: string, text: string | null) => {
    if (text === null) made.disk.delete(path)
    else made.write(path, text)
    made.review.changedOnDisk([path])
  }

  it('after undo and redo in the editor, also in another process', async () => {
    await edit('t1', 'a', after)
    await save('a', before)
    expect(await listed()).toEqual([])
    await made.restart()
    await save('a', after)
    expect(await listed()).toEqual(['a changed +2 -2'])
    expect(await listed(turns('t1'))).toEqual(['a changed +2 -2'])
    await made.review.undo(pending, 'all')
    expect(made.text('a')).toBe(before)
  })

  it('after an undo of one hunk, undo in the editor and a save, in several files', async () => {
    made.write('b', before)
    await edit('t1', 'a', after)
    await edit('t1', 'b', after)
    for (const path of ['a', 'b']) await undo(path, await hunkId(path, 0))
    expect(await listed()).toEqual(['a changed +1 -1', 'b changed +1 -1'])
    for (const path of ['a', 'b']) await save(path, after)
    expect(await listed()).toEqual(['a changed +2 -2', 'b changed +2 -2'])
  })

  it('after git reverted the file and the user changed other lines', async () => {
    await edit('t1', 'a', after)
    git('a', before)
    expect(await listed()).toEqual([])
    await save('a', lines('0', '1', '2', '3', '4', '5', '6', '7'))
    git('a', lines('0', '1', 'two', '3', '4', '5', 'six', '7'))
    expect(await listed()).toEqual(['a changed +2 -2'])
    await made.review.undo(pending, 'all')
    expect(made.text('a')).toBe(lines('0', '1', '2', '3', '4', '5', '6', '7'))
  })

  it('after another branch has other lines there, and a third one has no such file', async () => {
    await edit('t1', 'a', after)
    for (const text of [lines('other'), null, before]) {
      git('a', text)
      await made.review.list(pending)
    }
    expect(await listed()).toEqual([])
    git('a', after)
    expect(await listed()).toEqual(['a changed +2 -2'])
    await made.review.undo(pending, 'all')
    expect(made.text('a')).toBe(before)
  })

  it('after several undos at once and a redo to what the user was typing, or to an earlier edit of the agent', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await edit('t1', 'a', lines('1', 'two and a half', '3', '4', '5', '6', '7'))
    await save('a', lines('1', 'two and a half!!', '3', '4', '5', '6', '7'))
    await save('a', before)
    await save('a', lines('1', 'two', '3', '4', '5', '6', '7'))
    expect(await listed()).toEqual(['a changed +1 -1'])
    await save('a', before)
    await save('a', lines('1', 'two and a half!', '3', '4', '5', '6', '7'))
    expect(await listed()).toEqual(['a changed +1 -1'])
  })

  it('if it was a created, deleted, binary or executable file', async () => {
    const mode = (path: string, value: number) =>
      made.disk.set(path, { content: made.disk.get(path)?.content ?? Buffer.from(''), mode: value })
    for (const path of ['deleted', 'script', 'binary']) made.write(path, before)
    await made.agent('t1', ['created', 'deleted', 'script', 'binary'], () => {
      made.write('created', 'created')
      made.disk.delete('deleted')
      mode('script', 0o755)
      made.write('binary', '\0')
    })
    const all = await listed()
    expect(all).toHaveLength(4)
    git('created', null)
    git('deleted', before)
    mode('script', 0o644)
    made.review.changedOnDisk(['script'])
    git('binary', before)
    expect(await listed()).toEqual([])
    await made.restart()
    git('created', 'created')
    git('deleted', null)
    mode('script', 0o755)
    made.review.changedOnDisk(['script'])
    git('binary', '\0')
    expect(await listed()).toEqual(all)
    await made.review.undo(pending, 'all')
    expect([made.text('created'), made.text('deleted'), made.text('binary')]).toEqual([null, before, before])
  })

  it('but not if the user had kept it', async () => {
    await edit('t1', 'a', after)
    await save('a', before)
    await save('a', after)
    await made.review.keep(pending, [{ path: 'a', hunks: [await hunkId('a', 0)] }])
    await save('a', before)
    await save('a', after)
    expect(await listed()).toEqual(['a changed +1 -1'])
    await made.review.keep(pending, 'all')
    await save('a', before)
    await save('a', after)
    expect(await listed()).toEqual([])
  })

  it('but not if the user pastes it elsewhere, writes other lines there, or makes a file of the same name', async () => {
    await edit('t1', 'a', after)
    await edit('t1', 'new', lines('created'))
    await save('a', before)
    git('new', null)
    await save('a', lines('1', '2', '3', '4', '5', '6', '7', '8', '9', 'two'))
    await save('a', lines('1', 'mine', '3', '4', '5', '6', '7', '8', '9', 'two'))
    git('new', lines('of the user'))
    expect(await listed()).toEqual([])
    made.disk.delete('a')
    made.review.changedOnDisk(['a'])
    expect(await listed()).toEqual([])
  })
})

describe('one turn alone', () => {
  const turn = (...ids: string[]) => ({ kind: 'turn', turns: new Set(ids) }) as const
  beforeEach(async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await edit('t2', 'a', lines('1', 'two', '3', '4', '5', 'six', '7', '8'))
    await edit('t3', 'b', lines('b'))
  })

  it('lists what the turn changed, without the changes of later turns', async () => {
    expect(await listed(turn('t1'))).toEqual(['a changed +1 -1'])
    expect(await listed(turn('t2'))).toEqual(['a changed +2 -1'])
    expect(await listed(turn('t1', 't2'))).toEqual(['a changed +3 -2'])
    expect(await listed(turns('t1', 't2', 't3'))).toEqual(['a changed +3 -2', 'b created +1 -0'])
    expect(await made.review.file(turn('t1'), 'a')).toMatchObject({
      earlier: true,
      currentText: lines('1', 'two', '3', '4', '5', '6', '7'),
      hunkList: [{ current: { start: 2, count: 1 } }],
    })
    await made.restart()
    expect(await listed(turn('t1'))).toEqual(['a changed +1 -1'])
    expect((await made.review.list(turn('t1'))).files).toMatchObject([{ path: 'a', earlier: true }])
  })

  it('is undone beside the changes of later turns, and the undo is reverted', async () => {
    expect(await made.review.undo(turn('t1'), 'all')).toEqual({ changed: ['a'], skipped: [] })
    expect(made.text('a')).toBe(lines('1', '2', '3', '4', '5', 'six', '7', '8'))
    expect(await listed(turn('t1'))).toEqual([])
    expect(await listed(turn('t2'))).toEqual(['a changed +2 -1'])
    expect(await listed()).toEqual(['a changed +2 -1', 'b created +1 -0'])
    await made.review.revert()
    expect(made.text('a')).toBe(lines('1', 'two', '3', '4', '5', 'six', '7', '8'))
    expect(await listed(turn('t1'))).toEqual(['a changed +1 -1'])
    expect(await listed(turn('t2'))).toEqual(['a changed +2 -1'])
  })

  it('is kept beside the changes of other turns', async () => {
    expect(await made.review.keep(turn('t1'), 'all')).toEqual({ changed: ['a'], skipped: [] })
    expect(await listed(turn('t1'))).toEqual([])
    expect(await listed(turn('t2'))).toEqual(['a changed +2 -1'])
    expect(await listed()).toEqual(['a changed +2 -1', 'b created +1 -0'])
    await made.review.undo(pending, 'all')
    expect(made.text('a')).toBe(lines('1', 'two', '3', '4', '5', '6', '7'))
  })

  it('keeps and undoes single hunks', async () => {
    await edit('t3', 'a', lines('0', '1', 'two', '3', '4', '5', 'six', '7', '8'))
    const [six, eight] = (await made.review.hunks(turn('t2'), 'a')).hunkList
    await made.review.undo(turn('t2'), [{ path: 'a', hunks: [six?.id ?? ''] }])
    expect(made.text('a')).toBe(lines('0', '1', 'two', '3', '4', '5', '6', '7', '8'))
    expect(await made.review.keep(turn('t2'), [{ path: 'a', hunks: [eight?.id ?? ''] }])).toMatchObject({ skipped: [] })
    expect(await listed(turn('t2'))).toEqual([])
    await made.review.undo(pending, 'all')
    expect(made.text('a')).toBe(lines('1', '2', '3', '4', '5', '6', '7', '8'))
  })

  it('of a conversation is all its turns, without those of a conversation after them', async () => {
    await edit('other', 'a', lines('1', 'two', '3', 'four', '5', 'six', '7', '8'))
    expect(await listed(turn('t1', 't2'))).toEqual(['a changed +3 -2'])
    await made.review.undo(turn('t1', 't2'), 'all')
    expect(made.text('a')).toBe(lines('1', '2', '3', 'four', '5', '6', '7'))
    expect(await listed(turn('t1', 't2'))).toEqual([])
    expect(await listed(turn('other'))).toEqual(['a changed +1 -1'])
    await made.review.revert()
    await made.review.keep(turn('t1', 't2'), 'all')
    expect(await listed(turn('t1', 't2'))).toEqual([])
    expect(await listed(pending)).toEqual(['a changed +1 -1', 'b created +1 -0'])
  })

  it('states that it includes changes of turns in between', async () => {
    await edit('t4', 'a', lines('1', 'two', '3', 'four', '5', 'six', '7', '8'))
    const scope = turn('t1', 't4')
    const note = expect.stringContaining('includes changes by other turns') as string
    expect((await made.review.list(scope)).files).toMatchObject([{ path: 'a', added: 4, removed: 3, problem: note }])
    await made.restart()
    expect((await made.review.list(scope)).files).toMatchObject([{ path: 'a', added: 4, removed: 3, problem: note }])
    await made.review.undo(scope, 'all')
    expect(made.text('a')).toBe(lines('1', '2', '3', '4', '5', '6', '7'))
  })

  it('is not undone where later changes are in the same lines, and nothing is overwritten', async () => {
    const later = lines('1', 'zwei', '3', '4', '5', 'six', '7', '8')
    expect((await made.review.list(turn('t1'))).files[0]?.problem).toBeUndefined()
    await edit('t4', 'a', later)
    expect((await made.review.list(turn('t1'))).files).toMatchObject([
      { path: 'a', earlier: true, problem: expect.stringContaining('cannot be undone alone') as string },
    ])
    const { changed, skipped } = await made.review.undo(turn('t1'), 'all')
    expect(changed).toEqual([])
    expect(skipped).toMatchObject([{ path: 'a', why: expect.stringContaining('Later changes') as string }])
    expect(made.text('a')).toBe(later)
    expect(await listed(turn('t1'))).toEqual(['a changed +1 -1'])
    const kept = await made.review.keep(turn('t4'), 'all')
    expect(kept.changed).toEqual(['a'])
  })

  it('is not kept where earlier changes in the same lines are not kept yet', async () => {
    await edit('t4', 'a', lines('1', 'zwei', '3', '4', '5', 'six', '7', '8'))
    await edit('t5', 'a', lines('1', 'zwei', '3', '4', '5', 'six', '7', '8', '9'))
    const { skipped } = await made.review.keep(turn('t4'), 'all')
    expect(skipped).toMatchObject([{ path: 'a', why: expect.stringContaining('Earlier changes') as string }])
    expect((await made.review.keep(turn('t1'), 'all')).changed).toEqual(['a'])
    expect((await made.review.keep(turn('t4'), 'all')).changed).toEqual(['a'])
  })

  it('includes what the user typed into its change', async () => {
    made.type('a', lines('1', 'two!', '3', '4', '5', 'six', '7', '8', 'mine'))
    expect(await made.review.file(turn('t1'), 'a')).toMatchObject({
      currentText: lines('1', 'two!', '3', '4', '5', '6', '7'),
    })
    await made.review.undo(turn('t1'), 'all')
    expect(made.tabs.get('a')).toBe(lines('1', '2', '3', '4', '5', 'six', '7', '8', 'mine'))
  })

  it('that created a file is not undone after a later turn changed the file; undone from the last turn back it is', async () => {
    await edit('t4', 'b', lines('b', 'more'))
    expect((await made.review.undo(turn('t3'), 'all')).skipped).toMatchObject([{ path: 'b' }])
    await made.review.undo(turn('t4'), 'all')
    expect(made.text('b')).toBe(lines('b'))
    await made.review.undo(turn('t3'), 'all')
    expect(made.text('b')).toBe(null)
  })

  it('that renamed a file is undone beside later edits of its text', async () => {
    await made.agent('t4', ['b', 'c'], () => {
      made.write('c', made.text('b') ?? '')
      made.disk.delete('b')
    })
    await edit('t5', 'c', lines('b', 'more'))
    await made.review.keep(turn('t3'), 'all')
    expect(await listed(turn('t4'))).toEqual(['c renamed +0 -0'])
    expect(await made.review.undo(turn('t4'), 'all')).toMatchObject({ skipped: [] })
    expect(made.text('b')).toBe(lines('b', 'more'))
    expect(made.text('c')).toBe(null)
    expect(await listed(turn('t5'))).toEqual(['b changed +1 -0'])
  })
})

describe('edits of the user', () => {
  it('outside of pending hunks move into the base, so that an undo keeps them', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    made.type('a', lines('1', 'two', '3', '4', '5', '6', 'mine'))
    expect(await listed()).toEqual(['a changed +1 -1'])
    await undo('a')
    expect(made.tabs.get('a')).toBe(lines('1', '2', '3', '4', '5', '6', 'mine'))
  })

  it('inside of a pending hunk belong to it', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    made.type('a', lines('1', 'two!', '3', '4', '5', '6', '7'))
    expect((await made.review.hunks(pending, 'a')).hunkList).toMatchObject([{ baseLines: ['2'] }])
    await undo('a')
    expect(made.tabs.get('a')).toBe(lines('1', '2', '3', '4', '5', '6', '7'))
  })

  it('in files that the agent has not changed are not listed', async () => {
    await edit('t1', 'a', lines('1'))
    made.write('mine', 'x\n')
    await made.agent('t1', undefined, () => made.write('b', 'y\n'))
    expect(await listed()).toEqual(['a changed +0 -6', 'b created +1 -0'])
  })

  it('in an unsaved tab that a command changes on disk are not overwritten: the conflict is listed until one is chosen', async () => {
    made.type('a', lines('typed'))
    await made.agent('t1', undefined, () => made.write('a', lines('by the command')))
    const [file] = (await made.review.list(pending)).files
    expect(file).toMatchObject({ path: 'a', hunks: 0, problem: expect.stringContaining('unsaved changes') as string })
    expect(made.tabs.get('a')).toBe(lines('typed'))
    made.tabs.delete('a')
    made.review.touched('a')
    expect(await listed()).toEqual(['a changed +1 -7'])
    await undo('a')
    expect(made.text('a')).toBe(lines('1', '2', '3', '4', '5', '6', '7'))
  })

  it('saved while a command runs are not those of the command', async () => {
    await made.agent('t1', undefined, () => undefined)
    const call = await made.review.begin({ paths: undefined, turn: 't1', program: true })
    made.write('mine', 'x\n')
    made.review.saved('mine')
    made.write('b', 'y\n')
    await call.end([])
    expect(await listed()).toEqual(['b created +1 -0'])
  })
})

describe('a file that very many turns changed', () => {
  const ids = Array.from({ length: 35 }, (_, index) => `t${index + 1}`)
  const one = (id: string) => ({ kind: 'turn', turns: new Set([id]) }) as const
  const note = 'This includes changes by other turns: 6 old turns of this file can no longer be told apart.'
  const problemIn = async (scope: Parameters<MemoryReview['review']['list']>[0]) =>
    (await made.review.list(scope)).files[0]?.problem ?? ''
  beforeEach(async () => {
    const added: string[] = []
    for (const id of ids) {
      added.push(id)
      await edit(id, 'a', lines('1', ...added))
    }
  })

  it.each(['', ', after a restart'])(
    'has the right totals, and the oldest turns say that they are merged%s',
    async (when) => {
      if (when !== '') await made.restart()
      expect(await listed(turns(...ids))).toEqual(['a changed +35 -6'])
      expect(await problemIn(turns(...ids))).toBe('')
      expect(await listed(one('t1'))).toEqual(['a changed +6 -6'])
      expect(await listed(one('t6'))).toEqual(['a changed +6 -6'])
      expect(await problemIn(one('t1'))).toContain(note)
      expect(await problemIn(one('t6'))).toContain(note)
      expect((await made.review.hunks(one('t3'), 'a')).problem).toContain(note)
      expect(await problemIn(one('t7'))).not.toContain(note)
      expect(await listed(one('t7'))).toEqual(['a changed +1 -0'])
      expect(await listed(turns('t35'))).toEqual(['a changed +1 -0'])
    },
  )

  it('undoes all of it, and the merged turns return with a revert', async () => {
    await made.review.undo(turns(...ids), 'all')
    expect(made.text('a')).toBe(lines('1', '2', '3', '4', '5', '6', '7'))
    await made.review.revert()
    expect(await problemIn(one('t2'))).toContain(note)
    expect(await listed(turns(...ids))).toEqual(['a changed +35 -6'])
  })
})

describe('keep and undo', () => {
  it('of all files is one step, which can be reverted and repeated', async () => {
    await edit('t1', 'a', lines('1'))
    await edit('t1', 'b', lines('new'))
    await made.review.undo(pending, 'all')
    expect([made.text('a'), made.text('b')]).toEqual([lines('1', '2', '3', '4', '5', '6', '7'), null])
    expect(await made.review.list(pending)).toMatchObject({ files: [], canUndo: true, lastAction: 'Undo 2 files' })
    await made.review.revert()
    expect([made.text('a'), made.text('b')]).toEqual([lines('1'), lines('new')])
    expect(await listed()).toEqual(['a changed +0 -6', 'b created +1 -0'])
    await made.review.redo()
    expect([made.text('a'), made.text('b')]).toEqual([lines('1', '2', '3', '4', '5', '6', '7'), null])
    await expect(made.review.redo()).rejects.toMatchObject({ code: 'not_found' })
  })

  it('are reverted beside later changes of other lines, and refused if the same lines have changed', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await undo('a')
    made.write('a', lines('1', '2', '3', '4', '5', '6', 'mine'))
    expect(await made.review.revert()).toEqual({ changed: ['a'], skipped: [] })
    expect(made.text('a')).toBe(lines('1', 'two', '3', '4', '5', '6', 'mine'))
    expect(await listed()).toEqual(['a changed +1 -1'])
    await undo('a')
    made.write('a', lines('1', 'my own', '3', '4', '5', '6', 'mine'))
    expect(await made.review.revert()).toMatchObject({
      changed: [],
      skipped: [{ path: 'a', why: /same lines/ }].map((each) => ({
        ...each,
        why: expect.stringMatching(each.why) as string,
      })),
    })
    expect(made.text('a')).toContain('my own')
  })

  it('during a call wait for its end, and the model gets a note', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    const call = await made.review.begin({ paths: undefined, turn: 't1', program: true })
    expect(await made.review.undo(pending, 'all')).toEqual({ changed: [], skipped: [], queued: true })
    expect(made.text('a')).toContain('two')
    await call.end([])
    expect(made.text('a')).not.toContain('two')
    expect(made.review.takeNote(new Set(['t2']))).toBe(undefined)
    expect(made.review.takeNote(new Set(['t1']))).toContain('The user undid your changes in a.')
    expect(made.review.takeNote(new Set(['t1']))).toBe(undefined)
  })

  it('that wait for a call are carried out after a kill, but keep nothing that changed after the click', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await edit('t1', 'b', lines('seen'))
    await edit('t1', 'c', lines('kept'))
    await made.review.begin({ paths: ['b'], turn: 't1', program: false })
    await made.review.undo(pending, [{ path: 'a' }])
    await made.review.keep(pending, [{ path: 'b' }, { path: 'c' }])
    made.write('b', lines('seen', 'unseen'))
    made.kill()
    expect(await listed()).toEqual(['b created +2 -0'])
    expect(made.text('a')).toBe(lines('1', '2', '3', '4', '5', '6', '7'))
    expect(made.problems).toEqual([expect.stringContaining('b was not changed. It has changed')])
    await made.restart()
    expect(await listed()).toEqual(['b created +2 -0'])
  })

  it('that a kill interrupts can be reverted, and the files that were undone are known', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await edit('t1', 'b', lines('new'))
    await edit('t1', 'c', lines('new too'))
    made.hangingPath = 'a'
    void made.review.undo(pending, 'all')
    await expect.poll(() => [made.text('b'), made.text('c')]).toEqual([null, null])
    delete made.hangingPath
    made.kill()
    expect(await listed()).toEqual(['a changed +1 -1'])
    expect(await made.review.revert()).toMatchObject({ skipped: [] })
    expect(await listed()).toEqual(['a changed +1 -1', 'b created +1 -0', 'c created +1 -0'])
    expect(made.text('a')).toBe(lines('1', 'two', '3', '4', '5', '6', '7'))
    await made.review.redo()
    expect(await listed()).toEqual([])
    expect(made.text('a')).toBe(lines('1', '2', '3', '4', '5', '6', '7'))
  })

  it('that partly fail are reverted without the files that failed', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await edit('t1', 'b', lines('new'))
    await edit('t1', 'c', lines('new too'))
    await undo('c')
    await made.review.revert()
    made.tabs.set('b', lines('typed'))
    // If an action fails completely, the reverted action remains.
    expect(await undo('b')).toMatchObject({ changed: [], skipped: [{ path: 'b' }] })
    await made.review.redo()
    expect(made.text('c')).toBeNull()
    expect(await made.review.undo(pending, 'all')).toMatchObject({ changed: ['a'], skipped: [{ path: 'b' }] })
    expect(await made.review.revert()).toEqual({ changed: ['a'], skipped: [] })
    made.tabs.delete('b')
    expect(await listed()).toEqual(['a changed +1 -1', 'b created +1 -0'])
  })

  it('are noted for the model after a restart too, once', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await undo('a')
    await made.restart()
    expect(made.review.takeNote(new Set(['t1']))).toContain('your changes in a.')
    await made.restart()
    expect(made.review.takeNote(new Set(['t1']))).toBeUndefined()
  })

  it("of a card wait for the end of a running call, which would count them as the agent's", async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    const call = await made.review.begin({ paths: undefined, turn: 't1', program: true })
    const undone = made.review.undoEdit(async () => {
      made.write('a', lines('1', '2', '3', '4', '5', '6', '7'))
      return ['a']
    })
    await made.review.list(pending)
    expect(made.text('a')).toContain('two')
    await call.end([])
    expect(await undone).toEqual(['a'])
    expect(await listed()).toEqual([])
    await made.review.revert()
    expect(await listed()).toEqual(['a changed +1 -1'])
  })

  it("since a checkpoint can be listed during a call, whose changes remain the agent's", async () => {
    const checkpoint = made.checkpoint()
    const call = await made.review.begin({ paths: ['a'], turn: 't1', program: false })
    made.write('a', lines('1', 'two', '3', '4', '5', '6', '7'))
    expect(await listed({ kind: 'checkpoint', checkpoint })).toEqual(['a changed +1 -1'])
    await call.end([])
    expect(await listed()).toEqual(['a changed +1 -1'])
  })

  it('that are reverted are no longer in the note to the model', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await edit('t1', 'b', lines('created'))
    await undo('a')
    await undo('b')
    await made.review.revert()
    expect(made.review.takeNote(new Set(['t1']))).toContain('your changes in a.')
    expect(made.review.takeNote(new Set(['t1']))).toBeUndefined()
  })

  it("are not reverted during a call, whose changes would count as the user's", async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await undo('a')
    const call = await made.review.begin({ paths: undefined, turn: 't1', program: true })
    made.write('a', lines('1', '2', '3', '4', '5', '6', 'agent'))
    await expect(made.review.revert()).rejects.toMatchObject({ code: 'conflict' })
    await call.end([])
    expect(await listed()).toEqual(['a changed +1 -1'])
  })

  it('of a renamed file with an unsaved tab do not leave two copies', async () => {
    await made.agent('t1', undefined, () => {
      made.write('moved', made.text('a') ?? '')
      made.disk.delete('a')
    })
    made.tabs.set('moved', lines('typed'))
    made.review.touched('moved')
    expect(await undo('moved')).toMatchObject({ changed: [], skipped: [{ path: 'moved' }] })
    expect([made.text('a'), made.text('moved')]).toEqual([null, lines('1', '2', '3', '4', '5', '6', '7')])
  })

  it('during a call keep nothing that the call changes after the click', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await edit('t1', 'b', lines('seen'))
    const call = await made.review.begin({ paths: undefined, turn: 't1', program: true })
    expect(await made.review.keep(pending, 'all')).toMatchObject({ queued: true })
    made.write('a', lines('1', 'two', '3', '4', '5', '6', 'unseen'))
    made.write('c', lines('unseen'))
    await call.end([])
    expect((await made.review.list(pending)).files.map(({ path }) => path)).toEqual(['a', 'c'])
    expect(made.problems).toEqual([expect.stringContaining('a was not changed. It has changed')])
  })

  it('of a file that changed since the user saw it fail with a conflict', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    const { revision } = await made.review.hunks(pending, 'a')
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', 'seven'))
    await expect(made.review.undo(pending, [{ path: 'a', revision }])).rejects.toMatchObject({ code: 'conflict' })
    const [seen] = (await made.review.list(pending)).files
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', 'six', 'seven'))
    const target = { path: 'a', revision: seen?.revision ?? 0 }
    await expect(made.review.keep(pending, [target])).rejects.toMatchObject({ code: 'conflict' })
  })

  it('of one turn leaves the changes of the others', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await edit('t2', 'a', lines('1', 'two', '3', '4', '5', 'six', '7'))
    await edit('t2', 'b', lines('b'))
    expect(await listed(turns('t2'))).toEqual(['a changed +1 -1', 'b created +1 -0'])
    expect((await made.review.hunks(pending, 'a')).hunkList.map(({ turn }) => turn)).toEqual(['t1', 't2'])
    await made.review.undo(turns('t2'), 'all')
    expect([made.text('a'), made.text('b')]).toEqual([lines('1', 'two', '3', '4', '5', '6', '7'), null])
    expect(await listed(turns('t2'))).toEqual([])
    expect(await listed()).toEqual(['a changed +1 -1'])
  })

  it('of an earlier turn leave later turns without its lines', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await edit('t2', 'a', lines('1', 'zwei', '3', '4', '5', 'six', '7'))
    await undo('a', await hunkId('a', 0))
    expect(await listed(turns('t2'))).toEqual(['a changed +1 -1'])
    expect(made.text('a')).toBe(lines('1', '2', '3', '4', '5', 'six', '7'))
  })
})

describe('a folder that takes too long to read', () => {
  it('is reported once, does not stop commands, and edits are still reviewed', async () => {
    made.scanFailure = new DOMException('Too long.', 'TimeoutError')
    await made.agent('t1', undefined, () => made.write('b', lines('b')))
    await made.agent('t1', undefined, () => made.write('c', lines('c')))
    await edit('t1', 'a', lines('1'))
    expect(await listed()).toEqual(['a changed +0 -6'])
    expect(made.problems).toEqual([expect.stringContaining('changes by commands are not reviewed')])
  })
})

describe('renames and deletions', () => {
  it('a renamed and edited file returns to its path and text', async () => {
    const text = made.text('a') ?? ''
    await made.agent('t1', undefined, () => {
      made.disk.delete('a')
      made.write('moved', text)
    })
    await edit('t1', 'moved', text.replace('2', 'two'))
    expect(await listed()).toEqual(['moved renamed +1 -1'])
    await undo('moved')
    expect([made.text('a'), made.text('moved')]).toEqual([text, null])
    await made.review.revert()
    expect([made.text('a'), made.text('moved')]).toEqual([null, text.replace('2', 'two')])
    expect(await listed()).toEqual(['moved renamed +1 -1'])
  })

  it('a rename by case only is undone where the file system folds case, and the file is not deleted', async () => {
    made = memoryReview({ foldsCase: true })
    made.write('readme', lines('1', '2', '3'))
    await made.agent('t1', undefined, () => {
      made.disk.delete('readme')
      made.write('README', lines('1', '2', '3'))
    })
    expect(await listed()).toEqual(['README renamed +0 -0'])
    expect(await undo('README')).toMatchObject({ skipped: [] })
    expect([...made.disk.keys()]).toEqual(['readme'])
    await made.review.revert()
    expect([...made.disk.keys()]).toEqual(['README'])
    expect(made.text('README')).toBe(lines('1', '2', '3'))
  })

  it('a renamed file is not moved over a new one', async () => {
    const text = made.text('a') ?? ''
    await made.agent('t1', undefined, () => {
      made.disk.delete('a')
      made.write('moved', text)
    })
    made.write('a', 'my new file\n')
    expect(await undo('moved')).toMatchObject({ changed: [], skipped: [{ path: 'moved' }] })
    expect([made.text('a'), made.text('moved')]).toEqual(['my new file\n', text])
  })

  it('a file that the user moves to the path of a pending deletion replaces it', async () => {
    await made.agent('t1', ['a'], () => made.disk.delete('a'))
    made.write('mine', lines('mine'))
    await listed()
    made.disk.delete('mine')
    made.write('a', lines('mine'))
    made.review.moved('mine', 'a')
    expect(await listed()).toEqual(['a changed +1 -7'])
    expect(made.text('a')).toBe(lines('mine'))
  })

  it('the review follows a file that the user moves', async () => {
    const text = made.text('a') ?? ''
    await edit('t1', 'a', text.replace('2', 'two'))
    made.write('mine', text.replace('2', 'two'))
    made.disk.delete('a')
    made.review.moved('a', 'mine')
    expect(await listed()).toEqual(['mine changed +1 -1'])
    await undo('mine')
    expect([made.text('a'), made.text('mine')]).toEqual([null, text])
  })

  it('a deleted file returns', async () => {
    const text = made.text('a')
    await made.agent('t1', undefined, () => void made.disk.delete('a'))
    expect(await listed()).toEqual(['a deleted +0 -7'])
    await undo('a')
    expect(made.text('a')).toBe(text)
  })
})

describe('commits', () => {
  it('keep the hunks that they contain', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await listed()
    made.commit()
    expect(await listed()).toEqual([])
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', 'six', '7'))
    expect(await listed()).toEqual(['a changed +1 -1'])
    await undo('a')
    expect(made.text('a')).toBe(lines('1', 'two', '3', '4', '5', '6', '7'))
  })

  it('leave files pending that they do not change', async () => {
    made.commit(['a'])
    made.write('a', lines('work of the user'))
    made.write('untracked', lines('note'))
    await edit('t1', 'a', lines('1', '2', '3', '4', '5', '6', '7'))
    await made.agent('t1', ['untracked'], () => made.disk.delete('untracked'))
    const before = ['a changed +7 -1', 'untracked deleted +0 -1']
    expect(await listed()).toEqual(before)
    made.write('x', lines('x'))
    made.commit(['x'])
    expect(await listed()).toEqual(before)
    await made.review.undo(pending, 'all')
    expect([made.text('a'), made.text('untracked')]).toEqual([lines('work of the user'), lines('note')])
  })

  it('keep a deletion that they contain, but not with the first one, which deletes nothing', async () => {
    await made.agent('t1', ['a'], () => made.disk.delete('a'))
    made.write('b', lines('b'))
    await listed()
    made.commit()
    expect(await listed()).toEqual(['a deleted +0 -7'])
    await made.agent('t1', ['b'], () => made.disk.delete('b'))
    await listed()
    made.commit()
    expect(await listed()).toEqual(['a deleted +0 -7'])
  })

  it('a reset keeps nothing, and the next commit is compared with its target', async () => {
    made.commit()
    made.write('a', lines('second'))
    made.write('b', lines('b'))
    made.commit()
    await edit('t1', 'a', lines('1', '2', '3', '4', '5', '6', '7'))
    expect(await listed()).toEqual(['a changed +7 -1'])
    made.reset(1)
    expect(await listed()).toEqual(['a changed +7 -1'])
    made.commit(['b'])
    expect(await listed()).toEqual(['a changed +7 -1'])
  })
})

describe('storage', () => {
  it('bases beyond the limit are deleted once, and those within it stay whatever the files contain', async () => {
    made = memoryReview({ maxBytes: 3000 })
    for (const name of ['big', 'small']) made.write(name, 'x'.repeat(name === 'big' ? 2900 : 500))
    await edit('t1', 'big', 'y'.repeat(9000))
    await edit('t1', 'small', 'z'.repeat(9000))
    const problems = async () =>
      (await made.review.list(pending)).files.map(({ path, problem = '' }) => `${path} ${problem.slice(0, 11)}`)
    expect(await problems()).toEqual(['big The earlier', 'small '])
    const { revision } = await made.review.hunks(pending, 'small')
    const before = (await made.review.list(pending)).files.find(({ path }) => path === 'big')?.revision
    await edit('t1', 'a', lines('1'))
    await edit('t1', 'a', lines('1', '2'))
    expect((await made.review.list(pending)).files.find(({ path }) => path === 'big')?.revision).toBe(before)
    expect(await made.review.undo(pending, [{ path: 'small', revision }])).toMatchObject({ changed: ['small'] })
  })

  it('the last action is known without reading the files of all actions, after an update too', async () => {
    await edit('t1', 'a', lines('1'))
    await made.review.undo(pending, 'all')
    expect(await made.review.list(pending)).toMatchObject({ canUndo: true, canRedo: false, lastAction: 'Undo 1 file' })
    await made.review.revert()
    expect(await made.review.list(pending)).toMatchObject({ canUndo: false, canRedo: true })
    await made.restart()
    await made.review.redo()
    expect(await made.review.list(pending)).toMatchObject({ canUndo: true, canRedo: false })
  })

  it('a restart keeps hunks, turns and the last action, and reads no unchanged file to list them', async () => {
    for (let number = 0; number < 200; number += 1) await edit('t1', `file ${number}`, lines('x'))
    await undo('file 0')
    await made.restart()
    made.reads = 0
    expect(await listed(turns('t1'))).toHaveLength(199)
    expect(made.reads).toBe(0)
    await made.review.revert()
    expect(made.text('file 0')).toBe(lines('x'))
  })

  it('an edit of a killed process is still one of the agent', async () => {
    await made.review.begin({ paths: ['a'], turn: 't1', program: false })
    made.write('a', lines('1', 'two', '3', '4', '5', '6', '7'))
    made.kill()
    expect(await listed(turns('t1'))).toEqual(['a changed +1 -1'])
    await undo('a')
    expect(made.text('a')).toBe(lines('1', '2', '3', '4', '5', '6', '7'))
  })

  it('a kill in the middle of a folder does not make the files of the user those of the agent', async () => {
    made.write('dir/one', lines('1'))
    made.write('dir/two', lines('2'))
    await made.review.begin({ paths: ['dir', 'copy'], turn: 't1', program: false })
    made.write('copy/one', lines('1'))
    made.disk.delete('dir/two')
    made.kill()
    expect(await listed()).toEqual(['copy/one created +1 -0', 'dir/two deleted +0 -1'])
    await made.review.undo(pending, 'all')
    expect([...made.disk.keys()].filter((path) => path.includes('/')).toSorted()).toEqual(['dir/one', 'dir/two'])
  })

  it('a command of a killed process is listed with all that it changed', async () => {
    made.write('other', lines('other'))
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await made.review.begin({ paths: undefined, turn: 't2', program: true })
    made.write('new', lines('new'))
    made.write('other', lines('changed'))
    made.write('a', lines('1', 'two', '3', '4', '5', 'six', '7'))
    made.kill()
    const changed = ['new created +1 -0', 'other changed +1 -1']
    expect(await listed()).toEqual(['a changed +2 -2', ...changed])
    // The changes can be recorded once more, if another kill comes before the end.
    expect(await listed(turns('t2'))).toEqual(['a changed +1 -1', ...changed])
  })

  it('what the user changed before an interrupted call is not a change of the agent', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    made.write('a', lines('1', 'two', '3', '4', '5', '6', 'mine'))
    await made.review.begin({ paths: ['a'], turn: 't2', program: false })
    made.write('a', lines('1', 'two', '3', 'four', '5', '6', 'mine'))
    made.kill()
    await made.review.undo(pending, 'all')
    expect(made.text('a')).toBe(lines('1', '2', '3', '4', '5', '6', 'mine'))
  })

  it('the edit of an unsaved tab by a killed process is listed, and undone without the text of the user', async () => {
    made.type('a', lines('1', '2', '3', '4', '5', '6', 'typed'))
    await made.review.begin({ paths: ['a'], turn: 't1', program: false })
    // The tab comes back from its backup.
    made.tabs.set('a', lines('1', 'two', '3', '4', '5', '6', 'typed'))
    made.kill()
    expect(await listed()).toEqual(['a changed +1 -1'])
    await undo('a')
    expect(made.tabs.get('a')).toBe(lines('1', '2', '3', '4', '5', '6', 'typed'))
  })

  it('a renamed file that is deleted is deleted at its old path', async () => {
    await made.agent('t1', ['a', 'moved'], () => {
      made.write('moved', made.text('a') ?? '')
      made.disk.delete('a')
    })
    await made.agent('t2', ['moved'], () => void made.disk.delete('moved'))
    expect(await listed()).toEqual(['a deleted +0 -7'])
    await undo('a')
    expect([made.text('a'), made.text('moved')]).toEqual([lines('1', '2', '3', '4', '5', '6', '7'), null])
  })

  it('a renamed file whose old path is back is a copy, and undoing it does not fail', async () => {
    await made.agent('t1', ['a', 'moved'], () => {
      made.write('moved', made.text('a') ?? '')
      made.disk.delete('a')
    })
    made.write('a', lines('1', '2', '3', '4', '5', '6', '7'))
    await made.restart()
    expect(await listed()).toEqual(['moved created +7 -0'])
    await undo('moved')
    expect([made.text('a'), made.text('moved')]).toEqual([lines('1', '2', '3', '4', '5', '6', '7'), null])
  })

  it('another process sees the same review, and does not take a running edit for one of the user', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    const other = made.otherProcess()
    expect((await other.list(pending)).files).toHaveLength(1)
    const call = await made.review.begin({ paths: ['a'], turn: 't1', program: false })
    made.write('a', lines('1', 'two', '3', '4', '5', 'six', '7'))
    other.changedOnDisk(['a'])
    expect((await other.list(pending)).files).toMatchObject([{ path: 'a', hunks: 1 }])
    await call.end([])
    expect((await other.list(pending)).files).toMatchObject([{ path: 'a', hunks: 2 }])
    await other.keep(pending, 'all')
    expect(await listed()).toEqual([])
    await other.close()
  })

  it('a change while Tizona was closed counts as one of the user', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    await made.review.close()
    made.write('a', lines('1', 'two', '3', '4', '5', '6', 'mine'))
    await made.restart()
    expect(await listed()).toEqual(['a changed +1 -1'])
    await undo('a')
    expect(made.text('a')).toBe(lines('1', '2', '3', '4', '5', '6', 'mine'))
  })

  it('an evicted base is stated: the change can be kept but not undone', async () => {
    made = memoryReview({ maxBytes: 1000 })
    made.write('big', 'x'.repeat(2000))
    await edit('t1', 'big', 'y'.repeat(2000))
    const [file] = (await made.review.list(pending)).files
    expect(file?.problem).toMatch(/no longer stored.*can be kept but not undone/)
    expect(await undo('big')).toMatchObject({
      skipped: [{ path: 'big', why: expect.stringContaining('no longer stored') as string }],
    })
    expect(await made.review.keep(pending, 'all')).toMatchObject({ changed: ['big'] })
    expect(await listed()).toEqual([])
  })

  it('restoring a checkpoint and undoing the restore returns the review of that time', async () => {
    const start = made.checkpoint()
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    const files = new Map(made.disk)
    let before = -1
    await made.review.restoring(start, async (begun) => {
      before = made.checkpoint()
      begun(before)
      made.write('a', lines('1', '2', '3', '4', '5', '6', '7'))
    })
    expect(await listed()).toEqual([])
    await made.review.restoring(before, async (begun) => {
      begun(made.checkpoint())
      for (const [path, file] of files) made.disk.set(path, file)
    })
    expect(await listed()).toEqual(['a changed +1 -1'])
  })

  it('pending changes since a checkpoint are kept, and those before it stay pending', async () => {
    await edit('t1', 'a', lines('1', 'two', '3', '4', '5', '6', '7'))
    const checkpoint = made.checkpoint()
    const scope = { kind: 'checkpoint', checkpoint } as const
    await edit('t2', 'a', lines('1', 'two', '3', '4', '5', 'six', '7', '8'))
    await edit('t2', 'b', lines('b'))
    made.write('mine', lines('mine'))
    const [six] = (await made.review.hunks(scope, 'a')).hunkList
    expect(await made.review.keep(scope, [{ path: 'a', hunks: [six?.id ?? ''] }])).toMatchObject({ changed: ['a'] })
    expect(await listed()).toEqual(['a changed +2 -1', 'b created +1 -0'])
    expect(await made.review.keep(scope, 'all')).toEqual({ changed: ['a', 'b'], skipped: [] })
    expect(await listed()).toEqual(['a changed +1 -1'])
    expect((await made.review.keep(scope, [{ path: 'mine' }])).skipped).toMatchObject([{ path: 'mine' }])
  })

  it('changes since a checkpoint are listed and undone', async () => {
    const start = made.checkpoint()
    made.write('a', lines('mine'))
    await edit('t1', 'b', lines('b'))
    const scope = { kind: 'checkpoint', checkpoint: start } as const
    expect(await listed(scope)).toEqual(['a changed +1 -7', 'b created +1 -0'])
    await made.review.undo(scope, 'all')
    expect([made.text('a'), made.text('b')]).toEqual([lines('1', '2', '3', '4', '5', '6', '7'), null])
    expect(await listed()).toEqual([])
    await made.review.revert()
    expect([made.text('a'), made.text('b')]).toEqual([lines('mine'), lines('b')])
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AppState } from '../../../shared/bridge/appState.ts'
import type { ReviewFile, ReviewSummary } from '../../../shared/review/review.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { refreshApp, useApp } from '../appState.ts'
import { useFirstChanges } from '../firstKept.ts'
import type { TextBuffer } from '../editor/documents/textBuffer.ts'
import { documents } from '../editor/documents/windowDocuments.ts'
import { defaultLayout, useLayout } from '../layout/layoutStore.ts'
import { useNotices } from '../notices.ts'
import {
  addComment,
  applyReview,
  emptyReview,
  followReview,
  latestTurn,
  noChanges,
  refreshReview,
  removeComment,
  sendComments,
  setScope,
  useReview,
  reuseUnchangedFiles,
} from './reviewStore.ts'

const file = (path: string): ReviewFile => ({
  path,
  change: 'changed',
  content: 'text',
  added: 1,
  removed: 0,
  hunks: 1,
  revision: 1,
})
const summary = (...paths: string[]): ReviewSummary => ({ ...noChanges, files: paths.map(file), added: paths.length })

let main: TestMain
let stop: () => void = () => {}
beforeEach(() => {
  main = testMain()
  useReview.setState(emptyReview, true)
  useFirstChanges.setState({ folders: {} })
  useLayout.setState(defaultLayout, true)
  useNotices.setState({ notices: [] })
})
afterEach(() => stop())

const listed = () => useReview.getState().summary?.files.map(({ path }) => path)

describe('the lists of the review', () => {
  it('follow a change that arrives while main answers', async () => {
    let answers = 0
    main.responses['review.list'] = () => {
      answers += 1
      if (answers === 1) void refreshReview()
      return summary(`${answers}.ts`)
    }
    await refreshReview()
    await expect.poll(listed).toEqual(['2.ts'])
  })

  it('show the scope that was chosen last, in whatever order the answers arrive', async () => {
    const scope = { kind: 'conversation', conversation: 'c1' } as const
    main.responses['review.list'] = ({ scope: asked }) => {
      if (asked.kind === 'pending' && useReview.getState().scope.kind === 'pending') setScope(scope)
      return asked.kind === 'pending' ? summary('a.ts', 'b.ts') : summary('b.ts')
    }
    await refreshReview()
    await expect.poll(listed).toEqual(['b.ts'])
    expect(useReview.getState().pending.files).toHaveLength(2)
  })

  it('request only the file that changed, and all files if it left the list', async () => {
    stop = followReview()
    main.responses['review.list'] = () => summary('a.ts', 'b.ts')
    await refreshReview()
    main.responses['review.list'] = ({ paths }) => ({
      ...noChanges,
      files: paths ? [{ ...file('a.ts'), added: 5 }] : [file('b.ts')],
    })
    const listedPaths = () =>
      main.requests.flatMap(({ method, params }) => (method === 'review.list' ? [params] : [])).slice(1)
    main.emit('review.changed', { paths: ['a.ts'] })
    await vi.waitFor(() => expect(useReview.getState().pending).toMatchObject({ added: 6 }))
    expect(listed()).toEqual(['a.ts', 'b.ts'])
    expect(listedPaths()).toEqual([{ scope: { kind: 'pending' }, paths: ['a.ts'] }])

    main.responses['review.list'] = ({ paths }) => (paths ? noChanges : summary('b.ts', 'c.ts'))
    main.emit('review.changed', { paths: ['a.ts'] })
    await vi.waitFor(() => expect(listed()).toEqual(['b.ts', 'c.ts']))
  })

  it('keep the reason if main cannot list the changes', async () => {
    main.responses['review.list'] = () => {
      throw new Error('The database is locked.')
    }
    await refreshReview()
    expect(useReview.getState().failure?.message).toBe('The database is locked.')
  })
})

describe('keep and undo', () => {
  it('mark files as queued while a call runs, until they change', async () => {
    stop = followReview()
    main.responses['review.undo'] = () => ({ changed: [], skipped: [], queued: true as const })
    main.responses['review.list'] = () => summary()
    await applyReview('undo', { kind: 'pending' }, [{ path: 'a.ts' }, { path: 'b.ts' }])
    expect([...useReview.getState().queued]).toEqual(['a.ts', 'b.ts'])
    main.emit('review.changed', { paths: ['a.ts'] })
    expect([...useReview.getState().queued]).toEqual(['b.ts'])
    main.emit('review.changed', { paths: null })
    expect(useReview.getState().queued.size).toBe(0)
    await vi.waitFor(() => expect(listed()).toEqual([]))
  })

  it('count a queued keep only once main has kept it, and only in its folder', async () => {
    const state = (root: string) =>
      // Recording reads only these fields.
      ({ settings: { firstSteps: 'done' }, workspace: { root, name: root } }) as AppState
    main.responses['app.state'] = () => state('/one')
    main.responses['review.list'] = () => summary()
    main.responses['review.keep'] = () => ({ changed: [], skipped: [], queued: true as const })
    await refreshApp()
    stop = followReview()
    const keep = () => applyReview('keep', { kind: 'pending' }, [{ path: 'a.ts' }])
    await keep()
    main.emit('review.changed', { paths: null })
    main.emit('review.changed', { paths: ['a.ts'] })
    await keep()
    main.responses['app.state'] = () => state('/two')
    await refreshApp()
    main.emit('review.changed', { paths: ['a.ts'] })
    expect(useFirstChanges.getState().folders).toEqual({})
    await keep()
    main.emit('review.changed', { paths: ['a.ts'] })
    expect(useFirstChanges.getState().folders).toEqual({ '/two': 'kept' })
    useApp.setState({ state: null })
  })

  it('keep only what is listed, and list again what was refused', async () => {
    useReview.setState({ pending: summary('a.ts', 'b.ts') })
    main.responses['review.list'] = () => summary('c.ts')
    main.responses['review.keep'] = () => {
      throw new Error('It has changed since you saw it.')
    }
    await expect(applyReview('keep', { kind: 'pending' }, 'all')).rejects.toThrow('changed since')
    expect(main.requests[0]?.params).toEqual({
      scope: { kind: 'pending' },
      targets: [
        { path: 'a.ts', revision: 1 },
        { path: 'b.ts', revision: 1 },
      ],
    })
    await vi.waitFor(() => expect(useReview.getState().pending.files.map(({ path }) => path)).toEqual(['c.ts']))
  })

  it('of all changes since a checkpoint keep the files that have pending changes', async () => {
    const scope = { kind: 'checkpoint', checkpoint: 3 } as const
    useReview.setState({ scope, summary: summary('a.ts', 'mine.ts'), pending: summary('a.ts', 'other.ts') })
    main.responses['review.keep'] = () => ({ changed: ['a.ts'], skipped: [] })
    await applyReview('keep', scope, 'all')
    expect(main.requests.at(-1)?.params).toEqual({ scope, targets: [{ path: 'a.ts', revision: 1 }] })
  })

  it('give the reason for each file that was skipped', async () => {
    main.responses['review.keep'] = () => ({ changed: [], skipped: [{ path: 'a.ts', why: 'The file changed.' }] })
    await applyReview('keep', { kind: 'pending' }, 'all')
    expect(useNotices.getState().notices.at(-1)).toMatchObject({
      message: 'Not kept: a.ts',
      detail: 'The file changed.',
    })
  })
})

const comments = () => useLayout.getState().review.comments

describe('comments on changes', () => {
  it('are sent with the text of the user, and stay if main rejects the message', async () => {
    addComment({ path: 'a.ts', line: 3, text: 'Rename it.' })
    addComment({ path: 'b.ts', line: 1, text: 'Why?' })
    removeComment(comments()[1]?.id ?? 0)
    main.responses['review.comment'] = () => {
      throw new Error('No model.')
    }
    await expect(sendComments('c1', 'Please')).rejects.toThrow('No model.')
    expect(comments()).toHaveLength(1)
    main.responses['review.comment'] = () => ({ queued: false })
    await sendComments('c1', 'Please')
    expect(comments()).toEqual([])
    expect(main.requests.at(-1)?.params).toEqual({
      conversation: 'c1',
      comments: [{ path: 'a.ts', line: 3, text: 'Rename it.' }],
      text: 'Please',
    })
  })
})

describe('a comment on a change', () => {
  it('follows its lines in an open file', async () => {
    main.responses['review.list'] = () => noChanges
    addComment({ path: 'a.ts', line: 1, text: 'Why?', anchor: ['const a = 2'] })
    vi.spyOn(documents, 'buffer').mockReturnValue({ text: () => '// new\nconst a = 2\n' } as TextBuffer)
    stop = followReview()
    main.emit('review.changed', { paths: ['b.ts'] })
    expect(comments()[0]?.line).toBe(1)
    main.emit('review.changed', { paths: ['a.ts'] })
    expect(comments()[0]?.line).toBe(2)
    vi.restoreAllMocks()
  })
})

describe('the latest turn', () => {
  it('starts with a message of the user, not with one that steered it', () => {
    expect(
      latestTurn('c1', [
        { id: 'u1', kind: 'user', at: 1, text: 'one' },
        { id: 'u2', kind: 'user', at: 2, text: 'two', steered: true },
      ]),
    ).toEqual({ kind: 'turn', conversation: 'c1', message: 'u1' })
    expect(latestTurn('c1', [])).toBeNull()
  })
})

describe('a new list', () => {
  it('keeps the objects of files that did not change, and the whole list if none did', () => {
    const before = summary('a.ts', 'b.ts')
    const changed = { ...summary('a.ts', 'b.ts'), files: [file('a.ts'), { ...file('b.ts'), revision: 2 }] }
    const now = reuseUnchangedFiles(before, changed)
    expect(now.files[0]).toBe(before.files[0])
    expect(now.files[1]).toEqual({ ...file('b.ts'), revision: 2 })
    expect(reuseUnchangedFiles(before, summary('a.ts', 'b.ts'))).toBe(before)
    expect(reuseUnchangedFiles(before, summary('b.ts')).files).toEqual([file('b.ts')])
    expect(reuseUnchangedFiles(before, { ...before, canUndo: true })).toEqual({ ...before, canUndo: true })
  })
})

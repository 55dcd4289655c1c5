import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ReviewFile } from '../../shared/review/review.ts'
import { emptyReview, noChanges, useReview } from '../platform/review/reviewStore.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import type { GitStatusSummary } from '../../shared/git/git.ts'
import { handleCommand, runCommand } from '../platform/commands.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { registerReview } from './reviewCommands.ts'
import { ReviewPanel } from './ReviewPanel.tsx'

const file = (path: string, change: Partial<ReviewFile> = {}): ReviewFile => ({
  path,
  change: 'changed',
  content: 'text',
  added: 2,
  removed: 1,
  hunks: 1,
  revision: 1,
  ...change,
})

// The view only checks that there is one.
const testStatus = {} as GitStatusSummary

let main: TestMain
beforeEach(() => {
  main = testMain()
  main.responses['review.keep'] = () => ({ changed: [], skipped: [] })
  main.responses['review.undo'] = () => ({ changed: [], skipped: [] })
  // The test DOM has no layout, so that a virtual list would render no rows.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 600 })
  Object.defineProperty(HTMLElement.prototype, 'clientWidth', { configurable: true, value: 300 })
})
afterEach(() => {
  cleanup()
  useReview.setState(emptyReview, true)
  useGit.setState({ selected: null, statuses: {} })
})

function show(...files: ReviewFile[]): void {
  const summary = { ...noChanges, files, added: 2 * files.length, removed: files.length }
  useReview.setState({ ...emptyReview, summary, pending: summary }, true)
  render(<ReviewPanel />)
}
const rows = () => screen.getAllByRole('treeitem').map((row) => row.textContent)
const list = () => screen.getByRole('tree', { name: 'Changed files' })
const sent = (method: string) => main.requests.filter((each) => each.method === method).map(({ params }) => params)

describe('the review view', () => {
  it('explains what appears here while there is nothing to review', () => {
    show()
    expect(screen.getByText('Nothing to review')).toBeTruthy()
  })

  it('lists files with the kind of their change', () => {
    show(file('src/a.ts'), file('b.ts', { change: 'created' }), file('c.ts', { change: 'deleted' }))
    expect(rows()).toEqual(['a.tssrc+2−1Mchanged', 'b.ts+2−1Aadded', 'c.ts+2−1Ddeleted'])
    expect(screen.getByText('3 files')).toBeTruthy()
  })

  it('shows the old and the new name of a renamed file', () => {
    show(file('src/new.ts', { change: 'renamed', renamedFrom: 'src/old.ts' }))
    expect(within(list()).getByText('old.ts')).toBeTruthy()
    expect(screen.getByRole('note').textContent).toContain('Renamed: src/old.ts → src/new.ts.')
  })

  it('keeps and undoes a single file', async () => {
    show(file('a.ts'), file('b.ts'))
    fireEvent.click(screen.getByRole('button', { name: 'Keep the changes in a.ts' }))
    fireEvent.click(screen.getByRole('button', { name: 'Undo the changes in b.ts' }))
    await waitFor(() =>
      expect(sent('review.undo')).toEqual([{ scope: { kind: 'pending' }, targets: [{ path: 'b.ts' }] }]),
    )
    expect(sent('review.keep')).toEqual([{ scope: { kind: 'pending' }, targets: [{ path: 'a.ts', revision: 1 }] }])
  })

  it('keeps all and passes the kept files, with the old path of a renamed one, to the commit', async () => {
    const passed: unknown[] = []
    const stops = [registerReview(), handleCommand('git.prepareCommit', (paths) => void passed.push(paths))]
    main.responses['review.keep'] = () => ({ changed: ['a.ts', 'new.ts'], skipped: [] })
    useGit.setState({ selected: '/r', statuses: { '/r': testStatus } })
    show(file('a.ts'), file('new.ts', { change: 'renamed', renamedFrom: 'old.ts' }), file('not-kept.ts'))
    fireEvent.click(screen.getByRole('button', { name: 'Keep all and commit…' }))
    await waitFor(() => expect(passed).toEqual([['a.ts', 'new.ts', 'old.ts']]))
    expect(sent('review.keep')).toEqual([
      { scope: { kind: 'pending' }, targets: ['a.ts', 'new.ts', 'not-kept.ts'].map((path) => ({ path, revision: 1 })) },
    ])
    stops.forEach((stop) => stop())
  })

  it('hides the actions for all files while a filter hides some', () => {
    show(file('a.ts'), file('b.ts'))
    expect(screen.getByRole('button', { name: 'Undo all' })).toBeTruthy()
    fireEvent.change(screen.getByRole('searchbox', { name: 'Filter files' }), { target: { value: 'b' } })
    expect(rows()).toEqual(['b.ts+2−1Mchanged'])
    expect(screen.queryByRole('button', { name: 'Undo all' })).toBeNull()
  })

  it('selects the next file when a kept file leaves the list', () => {
    show(file('a.ts'), file('b.ts'), file('c.ts'))
    fireEvent.keyDown(list(), { key: 'ArrowDown' })
    act(() => useReview.setState({ summary: { ...noChanges, files: [file('a.ts'), file('c.ts')] } }))
    expect(screen.getByRole('treeitem', { selected: true }).textContent).toContain('c.ts')
  })

  it('offers the changes of an earlier turn alone or since it, and marks files that later turns changed', async () => {
    main.responses['review.list'] = () => noChanges
    show(file('a.ts', { earlier: true }))
    const scope = { kind: 'turn', conversation: 'c', message: 'm' } as const
    act(() => useReview.setState({ scope }))
    expect(screen.getByRole('note').textContent).toContain('A later turn changed this file too.')
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'since' } })
    expect(useReview.getState().scope).toEqual({ ...scope, kind: 'since' })
    await waitFor(() => expect(sent('review.list')).toContainEqual({ scope: { ...scope, kind: 'since' } }))
  })

  it('shows the lines of a file by key, and keeps and undoes single changes there', async () => {
    const stop = registerReview()
    main.responses['review.excerpts'] = ({ path }) => ({
      ...file(path, { hunks: 2, revision: 7 }),
      excerpts: [4, 9].map((start) => ({
        id: `h${start}`,
        base: { start, count: 0 },
        current: { start, count: 1 },
        turn: null,
        lines: {
          oldStart: start,
          newStart: start,
          section: '',
          lines: [{ kind: 'added', text: `new line ${start}`, newNumber: start }],
        },
        hidden: 0,
      })),
    })
    show(file('src/a.ts', { hunks: 2 }), file('b.ts'))
    const first = () => screen.getAllByRole('treeitem')[0]
    expect(first()?.getAttribute('aria-expanded')).toBe('false')
    fireEvent.keyDown(list(), { key: 'ArrowRight' })
    expect(await screen.findByText('new line 9')).toBeTruthy()
    expect(screen.getAllByRole('treeitem').map((row) => row.getAttribute('aria-level'))).toEqual(['1', '2', '2', '1'])

    fireEvent.keyDown(list(), { key: 'ArrowRight' })
    expect(screen.getByRole('treeitem', { selected: true }).getAttribute('aria-label')).toBe(
      'Change 1 of 2 in src/a.ts: line 4, 1 line added, 0 removed',
    )
    list().focus()
    runCommand('review.keep')
    const target = (id: string) => ({
      scope: { kind: 'pending' },
      targets: [{ path: 'src/a.ts', hunks: [id], revision: 7 }],
    })
    await waitFor(() => expect(sent('review.keep')).toEqual([target('h4')]))
    fireEvent.click(
      within(screen.getByRole('treeitem', { name: /line 9/ })).getByRole('button', { name: 'Undo this change' }),
    )
    await waitFor(() => expect(sent('review.undo')).toEqual([target('h9')]))

    fireEvent.keyDown(list(), { key: 'ArrowLeft' })
    fireEvent.keyDown(list(), { key: 'ArrowLeft' })
    expect(rows()).toHaveLength(2)
    stop()
  })

  it('shows the lines of all files, also when the view is opened again, until the user hides them', () => {
    main.responses['review.excerpts'] = ({ path }) => ({ ...file(path), excerpts: [] })
    show(file('a.ts'), file('b.png', { content: 'binary', hunks: 0 }), file('c.ts'))
    fireEvent.click(screen.getByRole('button', { name: 'Show the changes in all files' }))
    expect(screen.getAllByRole('treeitem')).toHaveLength(5)
    cleanup()
    render(<ReviewPanel />)
    expect(screen.getAllByRole('treeitem')).toHaveLength(5)
    fireEvent.click(screen.getByRole('button', { name: 'Hide the changes in all files' }))
    expect(screen.getAllByRole('treeitem')).toHaveLength(3)
  })

  it('shows that an action waits for the end of the running call', () => {
    show(file('a.ts'))
    act(() => useReview.setState({ queued: new Set(['a.ts']) }))
    expect(rows()).toEqual(['a.tsQueued+2−1Mchanged'])
    expect(screen.queryByRole('button', { name: 'Keep the changes in a.ts' })).toBeNull()
  })

  it('states why nothing can be undone', () => {
    show(file('a.ts', { problem: 'The earlier text is no longer stored, because it exceeded the size limit.' }))
    expect(screen.getByRole('note').textContent).toContain('The earlier text is no longer stored')
  })
})

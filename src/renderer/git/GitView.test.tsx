import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useConfirm } from '../platform/confirm.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { useNotices } from '../platform/notices.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { resolveWithSide } from './conflictActions.ts'
import { GitView } from './GitView.tsx'
import { showStatus, testStatus } from './testing/status.ts'

let main: TestMain
beforeEach(() => {
  main = testMain()
  useNotices.setState({ notices: [] })
})
afterEach(() => {
  cleanup()
  useGit.setState({ repositories: null, selected: null, statuses: {}, running: [] })
})
const sent = (method: string) => main.requests.filter((each) => each.method === method).map(({ params }) => params)
const asked = () => useConfirm.getState().pending

describe('a rebase in progress', () => {
  const rebase = { kind: 'rebase', step: 1, steps: 2 } as const
  beforeEach(() => {
    const ended = { status: testStatus(), backup: null, skipped: [] }
    main.responses['git.operation'] = () => ended
    main.responses['git.status'] = () => testStatus()
    showStatus(testStatus({ merge: [{ path: 'a.ts', kind: 'conflict' }] }, { operation: rebase }))
    render(<GitView />)
  })

  it('cannot continue before its conflicts are resolved', () => {
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Continue' }).disabled).toBe(true)
    expect(screen.getByText('Resolve the conflicts in 1 file.')).toBeTruthy()
  })

  it.each([
    ['Skip commit', 'Skip this commit?', 'skip'],
    ['Abort…', 'Abort the rebase?', 'abort'],
  ])('%s asks first', async (button, title, step) => {
    fireEvent.click(screen.getByRole('button', { name: button }))
    await waitFor(() => expect(asked()?.request.title).toBe(title))
    asked()?.answer(null)
    await waitFor(() => expect(asked()).toBeNull())
    expect(sent('git.operation')).toEqual([])
    fireEvent.click(screen.getByRole('button', { name: button }))
    await waitFor(() => expect(asked()).not.toBeNull())
    asked()?.answer(step)
    await waitFor(() => expect(sent('git.operation')).toMatchObject([{ repository: '/r', step }]))
  })
})

it('deleting a file resolves its conflict, and Undo returns it', async () => {
  const status = testStatus()
  showStatus(status)
  main.responses['git.resolve'] = () => ({ status, backup: 3, skipped: [] })
  main.responses['git.unresolve'] = () => ({ status, backup: null, skipped: [] })
  const { repository } = status
  const detail = {
    repository,
    path: 'a.ts',
    conflict: 'deleted_by_them',
    ours: 'a',
    theirs: null,
    editable: true,
  } as const
  await resolveWithSide(detail, 'delete')
  const notice = useNotices.getState().notices.at(-1)
  expect(notice?.message).toBe('Resolved a.ts by deleting it.')
  notice?.actions?.[0]?.run()
  await waitFor(() => expect(sent('git.unresolve')).toMatchObject([{ repository: '/r', paths: ['a.ts'] }]))
})

it('a folder without a repository offers to initialize one', async () => {
  main.responses['git.initialize'] = () => [testStatus().repository]
  main.responses['git.repositories'] = () => [testStatus().repository]
  useGit.setState({ repositories: [] })
  render(<GitView />)
  fireEvent.click(screen.getByRole('button', { name: 'Initialize repository' }))
  await waitFor(() => expect(sent('git.initialize')).toEqual([{ folder: '.' }]))
})

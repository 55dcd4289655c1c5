import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import type { GitStatusSummary } from '../../shared/git/git.ts'
import { useConfirm } from '../platform/confirm.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { defaultLayout, useLayout } from '../platform/layout/layoutStore.ts'
import { clearNotices, useNotices } from '../platform/notices.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { CommitBox } from './CommitBox.tsx'
import { useGitOutput } from './dialogStores.ts'
import { setMessage } from './gitActions.ts'
import { IdentityDialog } from './IdentityDialog.tsx'
import { showStatus, testStatus } from './testing/status.ts'

let main: TestMain
const changed = { path: 'a.ts', kind: 'modified' } as const

beforeEach(() => {
  main = testMain()
  useLayout.setState(defaultLayout, true)
  useConfirm.setState({ pending: null })
  clearNotices()
})
afterEach(cleanup)

function show(status: GitStatusSummary): void {
  showStatus(status)
  main.responses['git.stage'] = () => testStatus({ staged: [changed] })
  main.responses['git.commit'] = () => ({ hash: 'b', status: testStatus() })
  render(<CommitBox status={status} />)
}
const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Commit message' })
const sent = (method: string) => main.requests.filter((each) => each.method === method).map(({ params }) => params)
const notice = () => useNotices.getState().notices.at(-1)

describe('the commit box', () => {
  it('commits the staged changes with Ctrl+Enter and clears the message', async () => {
    show(testStatus({ staged: [changed] }))
    fireEvent.change(field(), { target: { value: 'Fix it' } })
    fireEvent.keyDown(field(), { key: 'Enter', ctrlKey: true })
    await waitFor(() => expect(field().value).toBe(''))
    expect(sent('git.commit')).toMatchObject([{ repository: '/r', message: 'Fix it', amend: false, skipHooks: false }])
  })

  it('offers to stage everything if nothing is staged, and Cancel changes nothing', async () => {
    show(testStatus({ changes: [changed] }))
    setMessage('/r', 'Fix it')
    fireEvent.click(screen.getByRole('button', { name: 'Commit' }))
    await waitFor(() => expect(useConfirm.getState().pending?.request.title).toContain('Nothing is staged'))
    useConfirm.getState().pending?.answer(null)
    await waitFor(() => expect(useConfirm.getState().pending).toBeNull())
    expect(sent('git.stage')).toEqual([])
    fireEvent.click(screen.getByRole('button', { name: 'Commit' }))
    await waitFor(() => expect(useConfirm.getState().pending).not.toBeNull())
    useConfirm.getState().pending?.answer('all')
    await waitFor(() => expect(sent('git.commit')).toHaveLength(1))
    expect(sent('git.stage')).toEqual([{ repository: '/r', operation: expect.any(String) as string }])
  })

  it('asks for a name and email address that git does not know, and commits again', async () => {
    show(testStatus({ staged: [changed] }))
    render(<IdentityDialog />)
    main.responses['git.setIdentity'] = () => undefined
    main.responses['git.commit'] = () => {
      if (sent('git.setIdentity').length > 0) return { hash: 'b', status: testStatus() }
      throw new ToolError('conflict', 'The commit failed. Git does not know your name and email address.', '', {
        reason: 'no_identity',
      })
    }
    setMessage('/r', 'Fix it')
    fireEvent.click(screen.getByRole('button', { name: 'Commit' }))
    const dialog = await screen.findByRole('dialog', { name: 'Set name and email' })
    fireEvent.change(within(dialog).getByRole('textbox', { name: 'Name' }), { target: { value: ' Ada ' } })
    fireEvent.change(within(dialog).getByRole('textbox', { name: 'Email address' }), {
      target: { value: 'ada@example.org' },
    })
    fireEvent.change(within(dialog).getByRole('combobox', { name: 'Use for' }), { target: { value: 'repository' } })
    fireEvent.click(within(dialog).getByRole('button', { name: 'Set and continue' }))
    await waitFor(() => expect(field().value).toBe(''))
    expect(sent('git.setIdentity')).toEqual([
      { repository: '/r', name: 'Ada', email: 'ada@example.org', scope: 'repository' },
    ])
    expect(sent('git.commit')).toHaveLength(2)
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('keeps the message when a hook fails, shows its output, and can commit without hooks', async () => {
    show(testStatus({ staged: [changed] }))
    let attempts = 0
    main.responses['git.commit'] = () => {
      attempts += 1
      if (attempts > 1) return { hash: 'b', status: testStatus() }
      throw new ToolError('conflict', 'The hook pre-commit failed.', '', {
        reason: 'hook_failed',
        detail: 'lint: 2 errors',
      })
    }
    setMessage('/r', 'Fix it')
    fireEvent.click(await screen.findByRole('button', { name: 'Commit' }))
    await waitFor(() => expect(notice()?.message).toBe('The hook pre-commit failed.'))
    expect(field().value).toBe('Fix it')
    const [without, details] = notice()?.actions ?? []
    details?.run()
    expect(useGitOutput.getState().shown?.output).toBe('lint: 2 errors')
    expect(without?.label).toBe('Commit without hooks')
    without?.run()
    await waitFor(() => expect(sent('git.commit').at(-1)).toMatchObject({ skipHooks: true }))
  })

  it('a draft replaces the typed message, and the notice restores it', async () => {
    show(testStatus({ staged: [changed] }))
    main.responses['git.draftMessage'] = () => 'Explain the change'
    setMessage('/r', 'my text')
    fireEvent.click(await screen.findByRole('button', { name: 'Draft message' }))
    await waitFor(() => expect(field().value).toBe('Explain the change'))
    notice()?.actions[0]?.run()
    await waitFor(() => expect(field().value).toBe('my text'))
  })

  it('keeps what the user types while a message is drafted, and offers the draft', async () => {
    show(testStatus({ staged: [changed] }))
    const drafted = Promise.withResolvers<string>()
    main.responses['git.draftMessage'] = () => drafted.promise
    fireEvent.click(await screen.findByRole('button', { name: 'Draft message' }))
    fireEvent.change(field(), { target: { value: 'my text' } })
    drafted.resolve('Explain the change')
    await waitFor(() => expect(notice()?.message).toBe('You edited the message, so the draft was not inserted.'))
    expect(field().value).toBe('my text')
    notice()?.actions[0]?.run()
    await waitFor(() => expect(field().value).toBe('Explain the change'))
  })

  it('keeps what the user types while a hook runs', async () => {
    show(testStatus({ staged: [changed] }))
    const committed = Promise.withResolvers<{ hash: string; status: GitStatusSummary }>()
    main.responses['git.commit'] = () => committed.promise
    setMessage('/r', 'Fix it')
    fireEvent.click(await screen.findByRole('button', { name: 'Commit' }))
    await waitFor(() => expect(sent('git.commit')).toHaveLength(1))
    fireEvent.change(field(), { target: { value: 'The next one' } })
    committed.resolve({ hash: 'b', status: testStatus() })
    await waitFor(() => expect(useGit.getState().running).toEqual([]))
    expect(field().value).toBe('The next one')
  })

  it('with conflicts left, nothing is committed', async () => {
    show(testStatus({ merge: [{ path: 'a.ts', kind: 'conflict' }] }))
    setMessage('/r', 'Merge')
    fireEvent.click(await screen.findByRole('button', { name: 'Commit' }))
    await waitFor(() => expect(notice()?.message).toBe('Resolve the conflicts before you commit.'))
    expect(sent('git.commit')).toEqual([])
  })

  it('without changes, it offers to sync or to publish', () => {
    const upstream = { name: 'origin/main', ahead: 2, behind: 1, gone: false }
    show(testStatus({}, { upstream }))
    expect(screen.getByRole('button', { name: 'Sync changes 1↓ 2↑' })).toBeTruthy()
    cleanup()
    show(testStatus())
    expect(screen.getByRole('button', { name: 'Publish branch' })).toBeTruthy()
  })
})

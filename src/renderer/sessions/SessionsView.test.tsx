import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionRow } from '../../shared/agent/sessionRows.ts'
import { emptyChat, useChat } from '../platform/conversation/chatStore.ts'
import { useSessions } from '../platform/sessions/sessionsStore.ts'
import { testMain } from '../testing/testMain.ts'
import type { AppState } from '../../shared/bridge/appState.ts'
import { useApp } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { registerSessions } from './registerSessions.ts'
import { folderName, groupSessions } from './sessionGroups.ts'
import { SessionsView } from './SessionsView.tsx'

const row = (key: string, more: Partial<SessionRow> = {}): SessionRow => ({
  key,
  conversation: key,
  title: `Title ${key}`,
  folder: '/home/ada/harbour',
  branch: 'main',
  worktree: null,
  place: 'window',
  state: 'done',
  note: null,
  changedFiles: 2,
  tokens: 1200,
  since: 1,
  pinned: false,
  archived: false,
  approvals: [],
  questions: [],
  ...more,
})

it('a workspace is shown by its name, not by the folder with its links', () => {
  expect(folderName(row('a', { folder: '/data/workspaces/3f2a', workspace: 'Shop (workspace)' }))).toBe(
    'Shop (workspace)',
  )
  expect(folderName(row('b'))).toBe('harbour')
})

let main: ReturnType<typeof testMain>

beforeEach(() => {
  main = testMain()
  main.responses['sessions.update'] = () => null
  main.responses['sessions.answer'] = () => null
  useChat.setState(emptyChat, true)
  useSessions.setState({ rows: null, waiting: 0, latest: null })
})
afterEach(cleanup)

async function show(rows: SessionRow[]): Promise<void> {
  main.responses['sessions.overview'] = () => rows
  render(<SessionsView />)
  await screen.findByText(rows[0]?.title ?? '')
}

const sent = (method: string) =>
  main.requests.filter((request) => request.method === method).map(({ params }) => params)

it('the notice about a new question leads to it, not to one that waits longer', async () => {
  useApp.setState({ state: { workspace: { root: '/w', name: 'w' } } as AppState })
  const stop = registerSessions()
  const questions = (jobId: string) => [{ jobId, command: 'make', output: 'Go on?' }]
  await show([
    row('a', { state: 'asking', since: 1, questions: questions('j1') }),
    row('b', { state: 'asking', since: 2, questions: questions('j2') }),
  ])
  runCommand('view.sessions', 'b')
  const field = (key: string) => screen.getByText(`Title ${key}`).closest('li')?.querySelector('input')
  await waitFor(() => expect(document.activeElement).toBe(field('b')))
  runCommand('view.sessions')
  await waitFor(() => expect(document.activeElement).toBe(field('a')))
  stop()
})

it('looks again how the turn of another process goes on', async () => {
  await show([row('a', { state: 'working', place: 'elsewhere' })])
  main.responses['sessions.overview'] = () => [row('a', { state: 'failed' })]
  await screen.findByText('Failed', { exact: false }, { timeout: 20_000 })
})

describe('groups', () => {
  it('keep a new approval below those that wait longer, and show archived sessions that wait or work', () => {
    const asked = (requestedAt: number) => [{ requestedAt } as SessionRow['approvals'][number]]
    const rows = [
      row('new', { state: 'approval', since: 1, approvals: asked(30) }),
      row('first', { state: 'approval', since: 9, approvals: asked(10), archived: true }),
      row('second', { state: 'asking', since: 20, pinned: true }),
      row('working', { state: 'working', archived: true }),
      row('done', { archived: true }),
    ]
    const found = groupSessions(rows, '', true).map((group) => [group.title, ...group.rows.map(({ key }) => key)])
    expect(found).toEqual([
      ['Needs you', 'first', 'second', 'new'],
      ['Working', 'working'],
      ['Archived', 'done'],
    ])
  })

  it('show those that need the user first, and archived ones only on request', () => {
    const rows = [
      row('a'),
      row('b', { state: 'working' }),
      row('c', { state: 'approval' }),
      row('d', { pinned: true }),
      row('e', { archived: true }),
    ]
    const titles = (archived: boolean) =>
      groupSessions(rows, '', archived).map((group) => [group.title, ...group.rows.map(({ key }) => key)])
    const shown = [
      ['Needs you', 'c'],
      ['Working', 'b'],
      ['Pinned', 'd'],
      ['Recent', 'a'],
    ]
    expect(titles(false)).toEqual(shown)
    expect(titles(true)).toEqual([...shown, ['Archived', 'e']])
  })

  it('contain the sessions with all words of the filter', () => {
    const rows = [row('a', { branch: 'tizona/berths' }), row('b', { state: 'failed' })]
    const found = (filter: string) =>
      groupSessions(rows, filter, false)
        .flatMap((group) => group.rows)
        .map(({ key }) => key)
    expect(found('harbour BERTHS')).toEqual(['a'])
    expect(found('failed')).toEqual(['b'])
    expect(found('nothing')).toEqual([])
  })
})

describe('the sessions view', () => {
  it('arrow keys move through all groups, and only one row is in the tab order', async () => {
    await show([row('a'), row('b', { state: 'working' })])
    const [first, second] = ['Title b', 'Title a'].map((name) =>
      screen.getByRole('button', { name: new RegExp(`^\\w+ ${name}`) }),
    )
    expect([first?.tabIndex, second?.tabIndex]).toEqual([0, -1])
    first?.focus()
    fireEvent.keyDown(first as Element, { key: 'ArrowDown' })
    expect(document.activeElement).toBe(second)
    expect([first?.tabIndex, second?.tabIndex]).toEqual([-1, 0])
    fireEvent.keyDown(second as Element, { key: 'Home' })
    expect(document.activeElement).toBe(first)
  })

  it('F2 renames a session, and Escape leaves its title', async () => {
    await show([row('a')])
    const open = () => screen.getByRole('button', { name: /^Done Title a/ })
    fireEvent.keyDown(open(), { key: 'F2' })
    fireEvent.keyDown(screen.getByRole('textbox', { name: 'Title of the session' }), { key: 'Escape' })
    expect(sent('sessions.update')).toEqual([])
    fireEvent.keyDown(open(), { key: 'F2' })
    const field = screen.getByRole('textbox', { name: 'Title of the session' })
    fireEvent.change(field, { target: { value: ' New title ' } })
    fireEvent.keyDown(field, { key: 'Enter' })
    await waitFor(() => expect(sent('sessions.update')).toEqual([{ conversation: 'a', title: 'New title' }]))
  })

  it('the menu pins and archives; a session of another process can be neither stopped nor answered', async () => {
    const elsewhere = row('a', { state: 'working', place: 'elsewhere' })
    await show([elsewhere])
    expect(screen.getByText(/in another Tizona/)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Actions for Title a' }))
    const menu = screen.getByRole('menu', { name: 'Session actions' })
    expect(within(menu).queryByRole('menuitem', { name: 'Stop' })).toBeNull()
    fireEvent.click(within(menu).getByRole('menuitem', { name: 'Pin' }))
    fireEvent.click(screen.getByRole('button', { name: 'Actions for Title a' }))
    fireEvent.click(screen.getByRole('menuitem', { name: 'Archive' }))
    await waitFor(() =>
      expect(sent('sessions.update')).toEqual([
        { conversation: 'a', pinned: true },
        { conversation: 'a', archived: true },
      ]),
    )
  })

  it('a command that asks is answered, a passphrase without showing it', async () => {
    const question = { jobId: 'j', command: 'ssh-add', output: 'Enter passphrase for key:' }
    await show([row('a', { state: 'asking', questions: [question] })])
    const field = screen.getByLabelText<HTMLInputElement>('Answer to the command')
    expect(field.type).toBe('password')
    fireEvent.change(field, { target: { value: 'open' } })
    fireEvent.click(screen.getByRole('button', { name: 'Send' }))
    await waitFor(() => expect(sent('sessions.answer')).toEqual([{ jobId: 'j', text: 'open' }]))
  })
})

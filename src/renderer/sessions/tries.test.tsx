import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SessionRow } from '../../shared/agent/sessionRows.ts'
import type { AppState } from '../../shared/bridge/appState.ts'
import type { SessionSummary } from '../../shared/git/sessionRequests.ts'
import { ToolError } from '../../shared/errors.ts'
import { useApp } from '../platform/appState.ts'
import { useConfirm } from '../platform/confirm.ts'
import { useNotices } from '../platform/notices.ts'
import { useSessions } from '../platform/sessions/sessionsStore.ts'
import { fileTab } from '../platform/editor/tabsState.ts'
import { showTab } from '../platform/editor/tabsStore.ts'
import { askForTries, showTries, useTaskTries } from '../platform/sessions/taskTries.ts'
import { testMain } from '../testing/testMain.ts'
import { groupSessions } from './sessionGroups.ts'
import { StartTriesDialog } from './StartTriesDialog.tsx'
import { dropTries } from './tryActions.ts'
import { TriesDialog } from './TriesDialog.tsx'
import { stateOfTry, triesOf, type TriedRow } from './tryStates.ts'

const result = { outcome: 'done', seconds: 12, tokens: 3400, files: 1, added: 4, removed: 2 } as const

function row(number: number, more: Partial<SessionRow> = {}, tried: Partial<TriedRow['worktree']['try']> = {}) {
  return {
    key: `c${number}`,
    conversation: `c${number}`,
    title: 'Fix it',
    folder: `/trees/task-1-${number}`,
    branch: `tizona/task-1-${number}`,
    worktree: {
      id: `w${number}`,
      name: `task-1-${number}`,
      origin: '/w',
      archived: false,
      broken: false,
      try: {
        task: 't',
        title: 'Fix it\nwith care',
        number,
        running: false,
        interrupted: false,
        conversation: null,
        ...tried,
      },
    },
    place: 'window',
    state: 'done',
    note: null,
    changedFiles: 1,
    tokens: 0,
    since: number,
    pinned: false,
    archived: false,
    approvals: [],
    questions: [],
    ...more,
  } satisfies SessionRow
}

const summary = (number: number, more: Partial<SessionSummary> = {}): SessionSummary => ({
  id: `w${number}`,
  name: `task-1-${number}`,
  worktree: `/trees/task-1-${number}`,
  branch: `tizona/task-1-${number}`,
  createdAt: 0,
  archived: false,
  state: 'ready',
  inUse: false,
  changed: [],
  hasWork: false,
  ignored: 0,
  ...more,
})

let main: ReturnType<typeof testMain>
const sent = (method: string) =>
  main.requests.filter((request) => request.method === method).map(({ params }) => params)

beforeEach(() => {
  main = testMain()
  main.responses['sessions.stopTries'] = () => undefined
  useSessions.setState({ rows: null, waiting: 0, latest: null })
  useTaskTries.setState({ draft: null, task: null })
  useNotices.setState({ notices: [] })
  useApp.setState({ state: { workspace: { root: '/w', name: 'w' } } as AppState })
})
afterEach(cleanup)

it('starts one session for each row, with the options of the conversation where a row has none', async () => {
  main.responses['sessions.setUpCommand'] = () => null
  main.responses['sessions.startTries'] = () => ({ task: 't', skipped: [] })
  let started = 0
  const model = { endpointId: 'e', model: 'm' }
  askForTries({
    prompt: 'Fix it',
    mode: 'yolo',
    model,
    toolset: 'blade',
    pictures: [{ kind: 'image', id: 'p', label: 'form.png', mimeType: 'image/png', width: 1, height: 1, size: 9 }],
    elements: 2,
    onStarted: () => (started += 1),
  })
  render(<StartTriesDialog />)
  expect(
    screen.getByText('Each try gets 1 picture of the message. 2 page elements of the message are not sent.'),
  ).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Remove try 3' }))
  const [first, second] = screen.getAllByRole('group')
  const within1 = within(first as HTMLElement)
  fireEvent.change(within1.getByLabelText('Temperature'), { target: { value: '3' } })
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Start 2 tries' }).disabled).toBe(true)
  fireEvent.change(within1.getByLabelText('Temperature'), { target: { value: '0,8' } })
  fireEvent.change(within(second as HTMLElement).getByLabelText('Toolset'), { target: { value: 'rusty' } })
  fireEvent.change(screen.getByLabelText('Test command (optional)'), { target: { value: 'npm test' } })
  fireEvent.click(screen.getByRole('button', { name: 'Start 2 tries' }))
  await waitFor(() => expect(useTaskTries.getState()).toEqual({ draft: null, task: 't' }))
  expect(started).toBe(1)
  expect(sent('sessions.startTries')).toEqual([
    {
      prompt: 'Fix it',
      images: [{ id: 'p', label: 'form.png' }],
      mode: 'yolo',
      tries: [
        { model, toolset: 'blade', temperature: 0.8 },
        { model, toolset: 'rusty' },
      ],
      test: 'npm test',
    },
  ])
})

it('asks for the folder in a workspace of several, and suggests that of the active file', async () => {
  const folders = [
    { name: 'api', path: '/work/api' },
    { name: 'web', path: '/work/web' },
  ]
  const workspace = { root: '/links', name: 'all', multiRoot: { folders, file: null, missing: [] } }
  useApp.setState({ state: { workspace } as unknown as AppState })
  showTab(fileTab('web/page.ts'))
  main.responses['sessions.setUpCommand'] = () => null
  main.responses['sessions.startTries'] = () => ({ task: 't', skipped: [] })
  askForTries({ prompt: 'Fix it', mode: 'safe', pictures: [], elements: 0, onStarted: () => undefined })
  render(<StartTriesDialog />)
  const folder = screen.getByLabelText<HTMLSelectElement>('Folder')
  expect(folder.value).toBe('web')
  fireEvent.change(folder, { target: { value: 'api' } })
  fireEvent.click(screen.getByRole('button', { name: 'Start 3 tries' }))
  await waitFor(() => expect(useTaskTries.getState()).toEqual({ draft: null, task: 't' }))
  expect(sent('sessions.setUpCommand')).toEqual([{ folder: 'api' }])
  expect(sent('sessions.startTries')).toMatchObject([{ folder: 'api', prompt: 'Fix it' }])
})

it('at most 8 tries can be added, and a failure keeps the form', async () => {
  main.responses['sessions.setUpCommand'] = () => null
  main.responses['sessions.startTries'] = () => {
    throw new ToolError('not_found', 'The repository has no commit yet.', 'Commit first.')
  }
  askForTries({ prompt: 'Fix it', mode: 'safe', pictures: [], elements: 0, onStarted: () => undefined })
  render(<StartTriesDialog />)
  const add = screen.getByRole<HTMLButtonElement>('button', { name: 'Add try' })
  for (let count = 3; count < 8; count += 1) fireEvent.click(add)
  expect(add.disabled).toBe(true)
  fireEvent.click(screen.getByRole('button', { name: 'Start 8 tries' }))
  expect((await screen.findByRole('alert')).textContent).toBe('The repository has no commit yet. Commit first.')
  expect(screen.getByLabelText<HTMLTextAreaElement>('Task').value).toBe('Fix it')
})

it('compares tries as they end, and takes only those that have ended', async () => {
  const working = row(2, { state: 'working', note: 'Waits for the model server' }, { running: true, test: 'make' })
  const rows = [
    row(1, {}, { result: { ...result, test: { exitCode: 1, output: 'no', ran: true } }, test: 'make' }),
    working,
  ]
  main.responses['sessions.overview'] = () => rows
  render(<TriesDialog />)
  showTries('t')
  const cells = async (number: number) => {
    const line = (await screen.findByRole('checkbox', { name: `task-1-${number}` })).closest('tr')
    return [...(line?.cells ?? [])].slice(0, -1).map((cell) => cell.textContent)
  }
  expect(await cells(1)).toEqual(['task-1-1', 'Done', 'Failed (1)', '+4−2', '3,400', '12 s'])
  expect((await cells(2)).slice(0, 4)).toEqual(['task-1-2', 'WorkingWaits for the model server', '–', '–'])
  const takes = screen.getAllByRole<HTMLButtonElement>('button', { name: 'Take this one…' })
  expect(takes.map(({ disabled }) => disabled)).toEqual([false, true])
  fireEvent.click(screen.getByRole('button', { name: 'Stop task-1-2' }))
  await waitFor(() => expect(sent('sessions.stopTries')).toEqual([{ ids: ['w2'] }]))
})

it('shows no figures that are unknown because a try failed', async () => {
  const unknown = { outcome: 'failed', seconds: null, tokens: null, files: null, added: null, removed: null } as const
  main.responses['sessions.overview'] = () => [row(1, {}, { result: unknown }), row(2, {}, { result })]
  render(<TriesDialog />)
  showTries('t')
  const line = (await screen.findByRole('checkbox', { name: 'task-1-1' })).closest('tr')
  expect([...(line?.cells ?? [])].slice(2, 5).map((cell) => cell.textContent)).toEqual(['–', '–', '–'])
})

it.each([
  ['/other', [true, true, true]],
  // Only a window of the repository's own folder has files to compare with.
  ['/trees/task-1-1', [true, false, true]],
  ['/w', [false, false, false]],
])('a window with %s open offers what it can do', async (root, disabled) => {
  useApp.setState({ state: { workspace: { root, name: 'x' } } as AppState })
  main.responses['sessions.overview'] = () => [1, 2, 3].map((number) => row(number, {}, { result }))
  render(<TriesDialog />)
  showTries('t')
  for (const number of [1, 2]) fireEvent.click(await screen.findByRole('checkbox', { name: `task-1-${number}` }))
  const names = ['Compare changes', 'Drop the rest…', 'Take this one…']
  const buttons = names.map((name) => screen.getAllByRole<HTMLButtonElement>('button', { name })[0])
  expect(buttons.map((button) => button?.disabled)).toEqual(disabled)
  const reason = 'These tries belong to the repository "w". Open its folder (/w) first.'
  expect(buttons.map((button) => button?.title)).toEqual(disabled.map((is) => (is ? reason : '')))
})

it('the others are dropped once, however often the button is clicked', async () => {
  const rows = [row(1, {}, { result }), row(2, {}, { result })]
  main.responses['sessions.overview'] = () => rows
  main.responses['sessions.list'] = () => [summary(1), summary(2)]
  render(<TriesDialog />)
  showTries('t')
  fireEvent.click(await screen.findByRole('checkbox', { name: 'task-1-1' }))
  const drop = screen.getByRole<HTMLButtonElement>('button', { name: 'Drop the rest…' })
  fireEvent.click(drop)
  expect(drop.disabled).toBe(true)
  await waitFor(() => expect(useConfirm.getState().pending).not.toBeNull())
  expect(drop.disabled).toBe(true)
  useConfirm.getState().pending?.answer(null)
  await waitFor(() => expect(drop.disabled).toBe(false))
})

it('drops the others after a question, stops those that work, and names what could not be removed', async () => {
  const rows = [row(1), row(2, { state: 'working' }, { running: true }), row(3)]
  main.responses['sessions.overview'] = () => rows
  main.responses['sessions.list'] = () => [summary(1), summary(2), summary(3, { hasWork: true, ignored: 2 })]
  main.responses['sessions.remove'] = ({ id }) => {
    if (id === 'w2') throw new ToolError('conflict', 'The session "task-1-2" is in use.', 'Close it.')
    return 'refs/tizona/kept/task-1-3-x'
  }
  const dropping = dropTries('t', new Set(['w1']))
  const pending = await waitFor(() => {
    const question = useConfirm.getState().pending
    expect(question).not.toBeNull()
    return question
  })
  expect(pending?.request.message).toBe(
    '1 try works and is stopped first. Work that is nowhere else is kept for 30 days in a git reference. 2 other files that git ignores, such as build output, will be deleted with the worktrees.',
  )
  expect(pending?.request.items).toHaveLength(2)
  pending?.answer('remove')
  await dropping
  expect(sent('sessions.stopTries')).toEqual([{ ids: ['w2', 'w3'] }])
  expect(sent('sessions.remove')).toEqual([
    { id: 'w2', confirmed: true },
    { id: 'w3', confirmed: true },
  ])
  const notice = useNotices.getState().notices.at(-1)
  expect(notice).toMatchObject({ level: 'warning', message: 'Removed 1 session of the task.' })
  expect(notice?.detail).toContain('task-1-2: The session "task-1-2" is in use.')
  expect(notice?.detail).toContain('git branch task-1-3 refs/tizona/kept/task-1-3-x')
})

it('nothing is removed if the question is cancelled', async () => {
  main.responses['sessions.overview'] = () => [row(1), row(2)]
  main.responses['sessions.list'] = () => [summary(1), summary(2)]
  const dropping = dropTries('t', new Set(['w1']))
  await waitFor(() => expect(useConfirm.getState().pending).not.toBeNull())
  useConfirm.getState().pending?.answer(null)
  await dropping
  expect(sent('sessions.remove')).toEqual([])
})

it('a task is a group of its own, except what needs the user or is archived', () => {
  const rows = [row(2), row(1), row(3, { state: 'approval' }), row(4, { archived: true }), row(5, { worktree: null })]
  const groups = groupSessions(rows, '', true).map(({ title, rows: members }) => [
    title,
    ...members.map(({ key }) => key),
  ])
  expect(groups).toEqual([
    ['Needs you', 'c3'],
    ['Fix it', 'c1', 'c2'],
    ['Recent', 'c5'],
    ['Archived', 'c4'],
  ])
})

it('a try counts once, whatever is sent in its worktree later, or in its own conversation after that', () => {
  const later = row(1, { key: 'later', conversation: 'later', since: 9 }, { conversation: 'c1' })
  const own = row(1, { since: 10 }, { conversation: 'c1' })
  expect(triesOf([later, own, row(2)], 't').map(({ key }) => key)).toEqual(['c1', 'c2'])
})

it.each([
  ['a result', row(1, {}, { result: { ...result, outcome: 'endpoint_failed' } }), 'Model server failed'],
  ['no conversation yet', row(1, { state: 'idle' }, { running: true }), 'Preparing'],
  ['a question', row(1, { state: 'approval' }, { running: true }), 'Needs approval'],
  ['a test that runs', row(1, {}, { running: true, test: 'make' }), 'Testing'],
  ['a turn that the user stopped', row(1, { state: 'stopped' }), 'Stopped'],
  ['an interruption', row(1, { state: 'stopped' }, { interrupted: true }), 'Interrupted'],
  ['an interruption before its first message', row(1, { state: 'idle' }, { interrupted: true }), 'Interrupted'],
  ['a message sent after an interruption', row(1, { state: 'working' }, { interrupted: true }), 'Working'],
] as const)('a try with %s shows it', (_, tried, label) => {
  expect(triesOf([tried], 't').map(stateOfTry)).toMatchObject([{ label }])
})

it('an interrupted try tells what to do, and what it has can be taken', async () => {
  main.responses['sessions.overview'] = () => [row(1, { state: 'stopped' }, { interrupted: true })]
  showTries('t')
  render(<TriesDialog />)
  expect(await screen.findByText(/Tizona ended while it worked\./)).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Take this one…' }).disabled).toBe(false)
})

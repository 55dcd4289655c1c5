import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AppState } from '../../shared/bridge/appState.ts'
import type { JobInfo } from '../../shared/commands/jobs.ts'
import { testMain } from '../testing/testMain.ts'
import { defineCondition, handleCommand, runCommand } from '../platform/commands.ts'
import { registerView, type EditorView } from '../platform/editor/editorViews.ts'
import { fileTab } from '../platform/editor/tabsState.ts'
import { useTabs } from '../platform/editor/tabsStore.ts'
import { useJobs } from '../platform/jobs/jobsStore.ts'
import { defaultLayout, useLayout } from '../platform/layout/layoutStore.ts'
import { useNotices } from '../platform/notices.ts'
import { useTextPrompt } from '../platform/conversation/promptText.ts'
import { useApp } from '../platform/appState.ts'
import { openTerminal, registerJobs } from './terminalCommands.ts'
import { registerTerminalView, type TerminalView } from './terminalViews.ts'

it('shows a new terminal and requests the focus for it', async () => {
  const opened: JobInfo = { id: 'term-1', kind: 'terminal', command: 'bash', cwd: '.', state: 'running', startedAt: 1 }
  testMain().responses['terminal.open'] = () => opened
  await openTerminal()
  expect(useJobs.getState()).toMatchObject({ selected: 'term-1', focusRequested: 'term-1', jobs: { 'term-1': opened } })
})

it('runs a command line in a new terminal, as if it were typed', async () => {
  const main = testMain()
  const opened: JobInfo = { id: 'term-2', kind: 'terminal', command: 'bash', cwd: '.', state: 'running', startedAt: 1 }
  main.responses['terminal.open'] = () => opened
  await openTerminal({ command: 'npm run build' })
  expect(main.requests.filter(({ method }) => method === 'jobs.input')).toEqual([
    { method: 'jobs.input', params: { id: 'term-2', data: 'npm run build\r' } },
  ])
})

const terminal = (id: string): JobInfo => ({
  id,
  kind: 'terminal',
  command: 'bash',
  cwd: '.',
  state: 'running',
  startedAt: 1,
})

function withTerminals(...ids: string[]): void {
  useJobs.setState({ jobs: Object.fromEntries(ids.map((id) => [id, terminal(id)])), selected: ids[0] ?? null })
}

function openFolder(): void {
  const jobs = Object.values(useJobs.getState().jobs)
  // The commands read only these fields.
  useApp.setState({ state: { workspace: { root: '/w', name: 'w' }, jobs } as unknown as AppState })
}

let unregister = (): void => undefined
beforeEach(() => {
  useJobs.setState({ jobs: {}, selected: null, focusRequested: null })
  useLayout.setState(defaultLayout)
  useNotices.setState({ notices: [] })
})
afterEach(() => {
  unregister()
  useApp.setState({ state: null })
})

it('opens a split to the right of the shown terminal, and forgets splits of jobs that are gone', async () => {
  testMain().responses['terminal.open'] = () => terminal('t3')
  withTerminals('t1', 't2')
  useLayout.setState({
    terminals: {
      splits: [
        ['t1', 't2'],
        ['gone', 'gone too'],
      ],
    },
  })
  await openTerminal({ beside: 't1' })
  expect(useLayout.getState().terminals.splits).toEqual([['t1', 't3', 't2']])
  expect(useJobs.getState().focusRequested).toBe('t3')
})

it('renames the shown terminal', async () => {
  const main = testMain()
  withTerminals('t1', 't2')
  openFolder()
  unregister = registerJobs()
  expect(runCommand('terminal.rename')).toBe(true)
  await vi.waitFor(() => expect(useTextPrompt.getState().pending).not.toBe(null))
  expect(useTextPrompt.getState().pending?.prompt.initial).toBe('bash')
  useTextPrompt.getState().pending?.answer('server')
  await vi.waitFor(() =>
    expect(main.requests).toContainEqual({ method: 'jobs.rename', params: { id: 't1', name: 'server' } }),
  )
})

it('adds the selection and the last output of a terminal to the chat, and informs the user if there is none', () => {
  testMain()
  withTerminals('t1')
  openFolder()
  const added: unknown[] = []
  const stops = [registerJobs(), handleCommand('chat.addText', (text) => void added.push(text))]
  let selection = 'error: x'
  stops.push(
    registerTerminalView('t1', { selection: () => selection, lastOutput: () => 'a\nb' } as unknown as TerminalView),
  )
  unregister = () => stops.forEach((stop) => stop())
  runCommand('terminal.addSelectionToChat')
  runCommand('terminal.addOutputToChat')
  expect(added).toEqual([
    { heading: 'From the terminal `bash`', text: 'error: x' },
    { heading: 'Last output of the terminal `bash`', text: 'a\nb' },
  ])
  selection = ' '
  runCommand('terminal.addSelectionToChat')
  expect(added).toHaveLength(2)
  expect(useNotices.getState().notices.map(({ message }) => message)).toEqual(['No text is selected in the terminal.'])
})

it('runs the selected lines in the shown terminal, or the line of the cursor', async () => {
  const main = testMain()
  withTerminals('t1', 't2')
  openFolder()
  useJobs.setState({ selected: 't2' })
  useTabs.setState({ groups: [{ id: 1, tabs: [fileTab('a.sh')], active: 'file:a.sh', preview: null }], activeGroup: 1 })
  defineCondition('file', () => true)
  let selected = 'cd src\nls\n'
  const stops = [
    registerJobs(),
    registerView(1, {
      path: () => 'a.sh',
      hasSelection: () => selected !== '',
      selection: () => ({ text: selected }),
      cursor: () => ({ line: 3, column: 1 }),
      lineText: (line: number) => `echo ${line}`,
    } as unknown as EditorView),
  ]
  unregister = () => stops.forEach((stop) => stop())
  const typed = () => main.requests.filter(({ method }) => method === 'jobs.input').map(({ params }) => params)
  runCommand('terminal.runSelection')
  await vi.waitFor(() => expect(typed()).toEqual([{ id: 't2', data: 'cd src\rls\r' }]))
  selected = ''
  runCommand('terminal.runSelection')
  await vi.waitFor(() => expect(typed()[1]).toEqual({ id: 't2', data: 'echo 3\r' }))
})

describe('toggling the terminal', () => {
  beforeEach(() => {
    unregister = registerJobs()
    openFolder()
  })

  it('opens one if none is running', async () => {
    testMain().responses['terminal.open'] = () => terminal('new')
    runCommand('terminal.toggle')
    await vi.waitFor(() => expect(useJobs.getState().focusRequested).toBe('new'))
    expect(useLayout.getState().panel).toEqual({ visible: true, view: 'jobs' })
  })

  it('shows and focuses the running one', () => {
    withTerminals('a', 'b')
    const main = testMain()
    runCommand('terminal.toggle')
    expect(main.requests).toEqual([])
    expect(useJobs.getState().focusRequested).toBe('a')
    expect(useLayout.getState().panel).toEqual({ visible: true, view: 'jobs' })
  })

  it('hides the panel from within it', () => {
    withTerminals('a')
    useLayout.setState({ panel: { visible: true, view: 'jobs' } })
    document.body.innerHTML = '<section data-region="panel"><textarea></textarea></section>'
    document.querySelector('textarea')?.focus()
    runCommand('terminal.toggle')
    expect(useLayout.getState().panel.visible).toBe(false)
  })
})

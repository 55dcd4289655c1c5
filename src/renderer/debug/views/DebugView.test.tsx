import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseLooseJson } from '../../../main/base/looseJson.ts'
import type { AppState } from '../../../shared/bridge/appState.ts'
import type { Breakpoints } from '../../../shared/debug/debug.ts'
import { ToolError } from '../../../shared/errors.ts'
import { useApp } from '../../platform/appState.ts'
import { handleCommand } from '../../platform/commands.ts'
import { useTextPrompt } from '../../platform/conversation/promptText.ts'
import { useDebug } from '../../platform/debug/debugStore.ts'
import { registerEditorService, type EditorService } from '../../platform/editor/editorService.ts'
import { emptyTabs, fileTab } from '../../platform/editor/tabsState.ts'
import { useTabs } from '../../platform/editor/tabsStore.ts'
import { defaultLayout, useLayout } from '../../platform/layout/layoutStore.ts'
import { clearNotices, useNotices } from '../../platform/notices.ts'
import { useQuickPick } from '../../platform/quickPick/quickPick.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { frame, stoppedSession, variable } from '../testing/sessions.ts'
import { useDebugConsole } from '../console/debugConsoleStore.ts'
import { useDataBreakpoints } from './breakpointChanges.ts'
import { DebugView } from './DebugView.tsx'
import { addWatch, variableTree, watchTree } from '../values/frameValues.ts'
import { launchTemplate } from './launchTemplate.ts'
import { registerDebugViews } from './registerDebugViews.ts'
import { effectiveChoice, useDebugStart } from './startDebugging.ts'

let main: TestMain
let stops: (() => void)[]
const openFile = vi.fn<EditorService['openFile']>(async () => undefined)
const breakpoints: Breakpoints = {
  lines: [
    { id: 'a', path: 'src/main.py', line: 6, enabled: true, condition: 'x > 1' },
    { id: 'b', path: 'src/main.py', line: 9, enabled: true },
  ],
  functions: [{ id: 'f', name: 'total', enabled: true }],
  exceptions: {},
}

beforeEach(() => {
  main = testMain()
  main.responses['debug.debuggers'] = () => []
  main.responses['debug.choices'] = () => ({ choices: [] })
  main.responses['debug.scopes'] = () => [
    { name: 'Locals', reference: 1, expensive: false },
    { name: 'Globals', reference: 2, expensive: true },
  ]
  main.responses['debug.stack'] = () => ({ frames: [frame(6), frame(20, { subtle: true })], total: 2 })
  main.responses['debug.variables'] = () => [
    variable('items', '[1, 2]', { reference: 3 }),
    variable('rate', '2'),
    variable('fixed', '1', { readOnly: true }),
  ]
  openFile.mockClear()
  clearNotices()
  // The subset of the state that the view reads.
  useApp.setState({ state: { workspace: { root: '/a', name: 'a' } } as AppState })
  // Starting only saves and opens files.
  const editor = { openFile, saveFiles: async () => true } as unknown as EditorService
  stops = [registerEditorService(editor), registerDebugViews()]
  // The test DOM has no layout, so that a virtual list would render no rows.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 600 })
  Object.defineProperty(HTMLElement.prototype, 'clientWidth', { configurable: true, value: 300 })
})
afterEach(() => {
  cleanup()
  stops.forEach((stop) => stop())
  for (const { use } of [variableTree, watchTree]) use.setState(use.getInitialState(), true)
  useDebug.setState(useDebug.getInitialState(), true)
  useDebugConsole.setState(useDebugConsole.getInitialState(), true)
  useDataBreakpoints.setState({ bySession: {} })
  useTabs.setState(emptyTabs, true)
  useLayout.setState(defaultLayout, true)
  useApp.setState({ state: null })
})

const tree = (name: string) => screen.getByRole('tree', { name })
const rows = (name: string) =>
  within(tree(name))
    .getAllByRole('treeitem')
    .map((row) => row.textContent)
const params = (method: string) => main.requests.filter((each) => each.method === method).map((each) => each.params)

/** Shows a program that has stopped in its first frame. */
async function stopProgram(): Promise<void> {
  render(<DebugView />)
  await act(async () =>
    useDebug.setState({
      sessions: [stoppedSession()],
      breakpoints,
      selectedSession: 'debug-1',
      selectedFrame: frame(6),
    }),
  )
  await waitFor(() => expect(rows('Variables')).toHaveLength(5))
}

describe('variables', () => {
  beforeEach(stopProgram)

  it('of the first scope are shown, slow scopes when they are expanded', async () => {
    expect(rows('Variables')).toEqual(['Locals', 'items:[1, 2]', 'rate:2', 'fixed:1', 'Globals'])
    expect(params('debug.variables')).toHaveLength(1)
    fireEvent.keyDown(tree('Variables'), { key: 'End' })
    fireEvent.keyDown(tree('Variables'), { key: 'ArrowRight' })
    await waitFor(() => expect(rows('Variables')).toHaveLength(8))
  })

  it('are set by keyboard, and all values are read again', async () => {
    main.responses['debug.setVariable'] = () => ({ value: '10', reference: 0 })
    main.responses['debug.variables'] = () => [variable('rate', '10')]
    const list = tree('Variables')
    for (const key of ['ArrowDown', 'ArrowDown', 'F2']) fireEvent.keyDown(list, { key })
    const field = screen.getByRole('textbox', { name: 'Value of rate' })
    expect(document.activeElement).toBe(field)
    fireEvent.change(field, { target: { value: '10' } })
    fireEvent.keyDown(field, { key: 'Enter' })
    await waitFor(() => expect(rows('Variables')).toEqual(['Locals', 'rate:10', 'Globals']))
    expect(params('debug.setVariable')).toEqual([{ sessionId: 'debug-1', reference: 1, name: 'rate', value: '10' }])
    expect(document.activeElement).toBe(tree('Variables'))
  })

  it('that are read-only, and after Escape, are not set', () => {
    const list = tree('Variables')
    fireEvent.keyDown(list, { key: 'ArrowDown' })
    fireEvent.keyDown(list, { key: 'ArrowDown' })
    fireEvent.keyDown(list, { key: 'F2' })
    fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Escape' })
    fireEvent.keyDown(list, { key: 'ArrowDown' })
    fireEvent.keyDown(list, { key: 'F2' })
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(params('debug.setVariable')).toEqual([])
  })

  it('offer to copy, watch and stop at changes', async () => {
    const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    main.responses['debug.evaluate'] = () => ({ value: 'the whole value', reference: 0 })
    main.responses['debug.addDataBreakpoint'] = () => ({ label: 'rate' })
    const choose = async (name: RegExp) => {
      fireEvent.contextMenu(within(tree('Variables')).getByText('rate'))
      await act(async () => fireEvent.click(screen.getByRole('menuitem', { name })))
    }
    await choose(/Copy value/)
    await waitFor(() => expect(copied).toHaveBeenCalledWith('the whole value'))
    await choose(/Add to watch/)
    expect(useLayout.getState().debug.watch).toEqual(['rate'])
    await choose(/Break when value changes/)
    expect(params('debug.addDataBreakpoint')).toEqual([{ sessionId: 'debug-1', reference: 1, name: 'rate' }])
    await waitFor(() => expect(rows('Breakpoints')).toContain('rateBreak on value change'))
  })

  it('that are read while the program continues cause no notice', async () => {
    main.responses['debug.scopes'] = () => {
      throw new ToolError('conflict', 'The program is running.', 'Pause it first.')
    }
    await act(async () => useDebug.setState({ selectedFrame: frame(20) }))
    await waitFor(() => expect(params('debug.scopes')).toHaveLength(2))
    await act(async () => undefined)
    expect(useNotices.getState().notices).toEqual([])
    main.responses['debug.scopes'] = () => {
      throw new ToolError('server_error', 'Broken.')
    }
    await act(async () => useDebug.setState({ selectedFrame: frame(30) }))
    await waitFor(() =>
      expect(useNotices.getState().notices).toMatchObject([{ message: 'The variables could not be read: Broken.' }]),
    )
    clearNotices()
  })

  it('disappear while the program runs', async () => {
    await act(async () => useDebug.setState({ sessions: [stoppedSession({ state: 'running' })], selectedFrame: null }))
    await waitFor(() => expect(screen.queryByRole('tree', { name: 'Variables' })).toBeNull())
  })
})

describe('watched expressions', () => {
  beforeEach(stopProgram)

  it('have the values of the selected frame, or an error', async () => {
    main.responses['debug.evaluate'] = ({ expression }) => {
      if (expression === 'missing') throw new ToolError('server_error', 'NameError')
      return { value: '4', reference: 0 }
    }
    await act(async () => addWatch('a + b'))
    await act(async () => addWatch('missing'))
    await waitFor(() => expect(rows('Watch')).toEqual(['a + b:4', 'missing:NameError']))
    main.responses['debug.evaluate'] = () => ({ value: '5', reference: 0 })
    await act(async () => useDebug.setState({ selectedFrame: frame(20) }))
    await waitFor(() => expect(rows('Watch')).toEqual(['a + b:5', 'missing:5']))
  })

  it('are added, edited and removed by keyboard', async () => {
    main.responses['debug.evaluate'] = () => ({ value: '4', reference: 0 })
    fireEvent.click(screen.getByRole('button', { name: 'Add expression' }))
    const field = screen.getByRole('textbox', { name: 'Expression to watch' })
    fireEvent.change(field, { target: { value: 'x' } })
    await act(async () => fireEvent.keyDown(field, { key: 'Enter' }))
    fireEvent.keyDown(tree('Watch'), { key: 'F2' })
    const edited = screen.getByRole('textbox', { name: 'Expression' })
    fireEvent.change(edited, { target: { value: 'y' } })
    await act(async () => fireEvent.keyDown(edited, { key: 'Enter' }))
    expect(useLayout.getState().debug.watch).toEqual(['y'])
    await act(async () => fireEvent.keyDown(tree('Watch'), { key: 'Delete' }))
    expect(screen.getByText('No expressions are watched.')).toBeTruthy()
  })
})

describe('breakpoints', () => {
  beforeEach(stopProgram)

  it('are listed with their conditions, and why they are not bound', async () => {
    expect(rows('Breakpoints')).toEqual([
      'Raised exceptions',
      'Uncaught exceptions',
      'total',
      'main.py:6Condition: x > 1',
      'main.py:9src',
    ])
    await act(async () =>
      useDebug.setState({
        sessions: [stoppedSession({ breakpoints: { b: { verified: false, message: 'No code on this line.' } } })],
      }),
    )
    expect(rows('Breakpoints').at(-1)).toBe('main.py:9No code on this line.')
  })

  it('are disabled, removed and opened by keyboard', async () => {
    const list = tree('Breakpoints')
    fireEvent.keyDown(list, { key: 'End' })
    for (const key of ['Enter', ' ', 'Delete']) fireEvent.keyDown(list, { key })
    await waitFor(() => expect(params('debug.setLineBreakpoints')).toHaveLength(2))
    expect(params('debug.setLineBreakpoints')).toEqual([
      { path: 'src/main.py', breakpoints: [breakpoints.lines[0], { ...breakpoints.lines[1], enabled: false }] },
      { path: 'src/main.py', breakpoints: [breakpoints.lines[0]] },
    ])
    // Shown at once.
    expect(rows('Breakpoints')).not.toContain('main.py:9src')
    expect(openFile).toHaveBeenCalledWith('src/main.py', { line: 9, column: 1 }, { focus: true, preview: false })
  })

  it('at exceptions start with the defaults of the debugger', async () => {
    const list = tree('Breakpoints')
    expect(screen.getAllByRole('treeitem', { checked: true })).toHaveLength(4)
    fireEvent.keyDown(list, { key: 'Home' })
    fireEvent.keyDown(list, { key: ' ' })
    await waitFor(() =>
      expect(params('debug.setExceptionFilters')).toEqual([{ debugger: 'python', filters: ['uncaught', 'raised'] }]),
    )
  })

  it('at functions are added by name', async () => {
    fireEvent.click(screen.getByRole('button', { name: 'Add function breakpoint' }))
    await act(async () => useTextPrompt.getState().pending?.answer(' run '))
    await waitFor(() =>
      expect(params('debug.setFunctionBreakpoints')).toMatchObject([
        { breakpoints: [{ id: 'f' }, { name: 'run', enabled: true }] },
      ]),
    )
  })

  it('are all removed at once', async () => {
    fireEvent.click(screen.getByRole('button', { name: 'Remove all breakpoints' }))
    await waitFor(() => expect(params('debug.setFunctionBreakpoints')).toEqual([{ breakpoints: [] }]))
    expect(params('debug.setLineBreakpoints')).toEqual([{ path: 'src/main.py', breakpoints: [] }])
  })
})

describe('starting', () => {
  it('a configuration asks for its inputs, and a problem disables it with the reason', async () => {
    main.responses['debug.choices'] = () => ({
      choices: [
        { name: 'Cobol', kind: 'configuration', problem: 'No debugger.' },
        { name: 'Server', kind: 'configuration' },
      ],
    })
    main.responses['debug.inputs'] = () => [
      { id: 'port', kind: 'pick', description: 'Port', options: ['80', '90'] },
      { id: 'key', kind: 'text', description: 'Key', password: true },
    ]
    main.responses['debug.start'] = () => ({ sessionIds: ['debug-1'] })
    render(<DebugView />)
    main.emit('files.changed', {
      changes: [{ path: '.vscode/launch.json', change: 'changed', directory: false }],
      overflow: false,
    })
    await waitFor(() => expect(useDebugStart.getState().choices).toHaveLength(2))
    const option = screen.getByRole('option', { name: 'Cobol — No debugger.' })
    expect(option).toHaveProperty('disabled', true)
    await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Start' })))
    await waitFor(() => expect(useQuickPick.getState().open?.options.title).toBe('Port'))
    await act(async () => useQuickPick.getState().open?.answer({ id: '90', label: '90' }))
    await waitFor(() =>
      expect(useTextPrompt.getState().pending?.prompt).toMatchObject({ label: 'Key', password: true }),
    )
    await act(async () => useTextPrompt.getState().pending?.answer('secret'))
    await waitFor(() =>
      expect(params('debug.start')).toEqual([
        { target: { kind: 'configuration', name: 'Server', inputs: { port: '90', key: 'secret' } } },
      ]),
    )
    expect(useLayout.getState().panel).toEqual({ visible: true, view: 'debug' })
  })

  it('of the active file that fails shows why, with the output of the debugger in the console', async () => {
    main.responses['debug.start'] = () => {
      throw new ToolError('server_error', 'debugpy ended.', 'Try again.', { detail: 'SyntaxError' })
    }
    useTabs.setState({
      groups: [{ id: 1, tabs: [fileTab('src/main.py')], active: 'file:src/main.py' }],
      activeGroup: 1,
    })
    render(<DebugView />)
    await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Start' })))
    expect((await screen.findByRole('alert')).textContent).toContain('debugpy ended. Try again.')
    expect(params('debug.start')).toEqual([{ target: { kind: 'file', path: 'src/main.py' } }])
    expect(useDebugConsole.getState().rows.map(({ text }) => text)).toContain('SyntaxError')
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('without its debugger leads to how to install it', async () => {
    main.responses['debug.start'] = () => {
      throw new ToolError('not_found', 'debugpy was not found.')
    }
    main.responses['debug.debuggers'] = () => [
      { id: 'python', title: 'debugpy', languages: ['Python'], missing: { reason: 'No.', installCommand: 'pip' } },
    ]
    useTabs.setState({ groups: [{ id: 1, tabs: [fileTab('a.py')], active: 'file:a.py' }], activeGroup: 1 })
    render(<DebugView />)
    await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Start' })))
    fireEvent.click(await screen.findByRole('button', { name: 'Show debuggers' }))
    expect(await screen.findByRole('button', { name: 'Install debugpy' })).toBeTruthy()
  })

  it('needs something to start', () => {
    render(<DebugView />)
    expect(screen.getByRole('button', { name: 'Start' })).toHaveProperty('disabled', true)
    expect(effectiveChoice('gone', [{ name: 'a', kind: 'configuration' }], false)).toBe('a')
    expect(effectiveChoice('a', [{ name: 'a', kind: 'configuration' }], true)).toBe('a')
    expect(effectiveChoice('gone', [{ name: 'a', kind: 'configuration' }], true)).toBe('')
  })

  it('attaches to a port, and warns that it leaves the sandbox', async () => {
    main.responses['debug.debuggers'] = () => [{ id: 'python', title: 'debugpy', languages: ['Python'] }]
    main.responses['debug.start'] = () => ({ sessionIds: ['debug-1'] })
    render(<DebugView />)
    await waitFor(() => expect(useDebugStart.getState().debuggers).toHaveLength(1))
    fireEvent.click(screen.getByRole('button', { name: 'More actions' }))
    fireEvent.click(screen.getByRole('menuitem', { name: /Attach to a process/ }))
    const dialog = screen.getByRole('dialog')
    expect(dialog.textContent).toContain('outside the sandbox, with your permissions')
    fireEvent.change(screen.getByRole('textbox', { name: 'Port' }), { target: { value: '99999' } })
    fireEvent.submit(screen.getByRole('textbox', { name: 'Port' }))
    expect(screen.getByRole('alert').textContent).toBe('Enter a port from 1 to 65535.')
    fireEvent.change(screen.getByRole('textbox', { name: 'Port' }), { target: { value: '5678' } })
    await act(async () => fireEvent.submit(screen.getByRole('textbox', { name: 'Port' })))
    await waitFor(() =>
      expect(params('debug.start')).toEqual([{ target: { kind: 'attach', debugger: 'python', port: 5678 } }]),
    )
  })

  it('a missing debugger is installed in a terminal on a click', async () => {
    useLayout.setState(({ debug }) => ({ debug: { ...debug, folded: [] } }))
    main.responses['debug.debuggers'] = () => [
      { id: 'python', title: 'debugpy', languages: ['Python'], version: '1.8' },
      {
        id: 'go',
        title: 'Delve',
        languages: ['Go'],
        missing: { reason: 'dlv is missing.', installCommand: 'go install' },
      },
    ]
    const run = vi.fn<(argument?: unknown) => void>()
    stops.push(handleCommand('terminal.run', run))
    render(<DebugView />)
    fireEvent.click(await screen.findByRole('button', { name: 'Install Delve' }))
    expect(run).toHaveBeenCalledWith({ command: 'go install' })
    expect(screen.getByText('debugpy 1.8')).toBeTruthy()
  })

  it('in a restricted folder is not offered', () => {
    useApp.setState({ state: { workspace: { root: '/a', restricted: { decided: true } } } as AppState })
    render(<DebugView />)
    expect(screen.getByRole('button', { name: 'Review trust' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Start' })).toBeNull()
  })
})

describe('a new launch.json', () => {
  it.each([
    ['src/main.py', { type: 'debugpy', program: '${workspaceFolder}/src/main.py' }],
    ['a.ts', { type: 'node', program: '${workspaceFolder}/a.ts' }],
    ['cmd/x.go', { type: 'go', program: '${workspaceFolder}' }],
    ['notes.md', { type: 'debugpy', program: '${workspaceFolder}/main.py' }],
    [null, { type: 'debugpy' }],
  ])('for %s is valid JSON with comments and one configuration', (file, expected) => {
    expect(parseLooseJson(launchTemplate(file))).toMatchObject({ configurations: [expected] })
  })
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DebugOutput } from '../../../shared/debug/debug.ts'
import type { AppState } from '../../../shared/bridge/appState.ts'
import { ToolError } from '../../../shared/errors.ts'
import { useApp } from '../../platform/appState.ts'
import { registerDebug, useDebug } from '../../platform/debug/debugStore.ts'
import { connectBridge } from '../../platform/bridge/bridge.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { stoppedSession } from '../testing/sessions.ts'
import {
  addOutput,
  clearConsole,
  consoleLimits,
  consoleValues,
  evaluateInput,
  followDebugOutput,
  reportStartFailure,
  shownRows,
  useDebugConsole,
} from './debugConsoleStore.ts'

let main: TestMain
let stops: (() => void)[]
beforeEach(() => {
  main = testMain()
  // The subset of the state that the console reads.
  useApp.setState({ state: { workspace: { root: '/a' } } as AppState })
  main.responses['debug.state'] = () => ({ sessions: [], breakpoints: { lines: [], functions: [], exceptions: {} } })
  stops = [registerDebug(), followDebugOutput()]
  clearConsole()
})
afterEach(() => {
  stops.forEach((stop) => stop())
  useDebug.setState(useDebug.getInitialState(), true)
  useDebugConsole.setState(useDebugConsole.getInitialState(), true)
  useApp.setState({ state: null })
})

const output = (text: string, sessionId = 'debug-1', category: 'stdout' | 'stderr' = 'stdout') =>
  addOutput({ sessionId, category, text })
const print = (from: number, text: string) =>
  main.emit('debug.output', {
    sessionId: 'debug-1',
    category: 'stdout',
    text,
    range: { from, to: from + text.length },
  })
const texts = () => useDebugConsole.getState().rows.map(({ text, node }) => node?.value ?? text)

describe('output', () => {
  it('of a session that started before the console loaded is complete', async () => {
    stops.pop()?.()
    useDebug.setState({ sessions: [stoppedSession({ id: 'debug-9', state: 'starting' })] })
    main.responses['debug.output'] = () => ({ text: 'before\n', truncated: false, to: 7 })
    stops.push(followDebugOutput())
    await vi.waitFor(() => expect(texts()).toEqual(['before']))
  })

  it('that was printed before the console loaded keeps its kinds', async () => {
    stops.pop()?.()
    const event = (from: number, text: string, more: Partial<DebugOutput>) =>
      main.emit('debug.output', {
        sessionId: 'debug-8',
        category: 'stdout',
        text,
        range: { from, to: from + text.length },
        ...more,
      })
    useDebug.setState({ sessions: [stoppedSession({ id: 'debug-8', state: 'starting' })] })
    event(0, 'one\n', {})
    event(4, 'bad\n', { category: 'stderr' })
    event(8, '{x: 1}\n', { category: 'console', reference: 7 })
    main.responses['debug.output'] = () => ({ text: 'one\nbad\n{x: 1}\n', truncated: false, to: 15 })
    stops.push(followDebugOutput())
    await vi.waitFor(() => expect(texts()).toEqual(['one', 'bad', '{x: 1}']))
    const { rows } = useDebugConsole.getState()
    expect(rows.map(({ category }) => category)).toEqual(['stdout', 'stderr', 'console'])
    expect(rows[2]?.node).toMatchObject({ reference: 7 })
    event(15, 'next\n', {})
    expect(texts().at(-1)).toBe('next')
  })

  it('of a session that the window missed in part has the rest with its kinds', async () => {
    stops.pop()?.()
    useDebug.setState({ sessions: [stoppedSession({ id: 'debug-7', state: 'running' })] })
    main.emit('debug.output', { sessionId: 'debug-7', category: 'stderr', text: 'two\n', range: { from: 4, to: 8 } })
    main.responses['debug.output'] = () => ({ text: 'one\ntwo\nthree\n', truncated: false, to: 14 })
    stops.push(followDebugOutput())
    await vi.waitFor(() => expect(texts()).toEqual(['one', 'two', 'three']))
    expect(useDebugConsole.getState().rows.map(({ category }) => category)).toEqual(['stdout', 'stderr', 'stdout'])
  })

  it('is shown by lines, which can arrive in parts and from several streams', () => {
    output('one\ntw')
    output('Error', 'debug-1', 'stderr')
    output('o\nthree')
    output(': x\n', 'debug-1', 'stderr')
    output('\n')
    expect(texts()).toEqual(['one', 'two', 'Error: x', 'three'])
  })

  it('of a progress bar replaces its line', () => {
    output('10 %\r')
    output('50 %\r')
    output('100 %\r\ndone\r\n')
    expect(texts()).toEqual(['100 %', 'done'])
  })

  it('keeps its color across lines', () => {
    output('\u001b[31mred\nstill red\u001b[0m\nplain\n')
    expect(useDebugConsole.getState().rows.map(({ style }) => style)).toEqual([{}, { color: 'red' }, {}])
  })

  it('is limited in rows and characters', () => {
    for (let count = 0; count < 30; count += 1) output('line\n'.repeat(1000))
    output('last\n')
    expect(texts()).toHaveLength(consoleLimits.rows)
    expect(texts().at(-1)).toBe('last')
    expect(useDebugConsole.getState().trimmed).toBe(true)
    for (let count = 0; count < 300; count += 1) output(`${'x'.repeat(9000)}\n`)
    expect(texts().join('').length).toBeLessThanOrEqual(consoleLimits.characters)
    clearConsole()
    expect(useDebugConsole.getState()).toMatchObject({ rows: [], trimmed: false })
  })

  it('of one session or with a text can be chosen', () => {
    output('Alpha\nbeta\n')
    output('alpha 2\n', 'debug-2')
    const { rows } = useDebugConsole.getState()
    const shown = (session: string | null, filter: string) =>
      shownRows({ rows, session, filter }).map(({ text }) => text)
    expect(shown(null, 'alpha')).toEqual(['Alpha', 'alpha 2'])
    expect(shown('debug-2', '')).toEqual(['alpha 2'])
  })

  it('of a session that ran before the window was connected is loaded once', async () => {
    const loaded = Promise.withResolvers<{ text: string; truncated: boolean; to: number }>()
    main.responses['debug.output'] = () => loaded.promise
    main.emit('debug.changed', { ...useDebug.getState(), sessions: [stoppedSession({ state: 'running' })] })
    await vi.waitFor(() => expect(main.requests.some(({ method }) => method === 'debug.output')).toBe(true))
    print(4, 'two\n')
    loaded.resolve({ text: 'one\ntwo\n', truncated: false, to: 8 })
    await vi.waitFor(() => expect(texts()).toEqual(['one', 'two']))
    // A part of it was already in the response.
    print(4, 'two\nthree\n')
    expect(texts()).toEqual(['one', 'two', 'three'])
  })

  it('that main sent while the window was disconnected is neither lost nor doubled', async () => {
    const emitState = (state: 'starting' | 'running' | 'ended') =>
      main.emit('debug.changed', { ...useDebug.getState(), sessions: [stoppedSession({ state, exitCode: 0 })] })
    emitState('starting')
    print(0, 'one\nhalf')
    emitState('running')
    expect(texts()).toEqual(['one', 'half'])

    connectBridge()
    // Sent before the window knows what it has missed.
    print(14, 'three\n')
    main.responses['debug.output'] = () => ({ text: ' line\nthree\nfour\n', truncated: false, to: 25 })
    emitState('running')
    await vi.waitFor(() => expect(texts()).toEqual(['one', 'half line', 'three', 'four']))
    expect(main.requests.find(({ method }) => method === 'debug.output')?.params).toEqual({
      sessionId: 'debug-1',
      from: 8,
    })
    print(20, 'four\nfive\n')
    expect(texts()).toEqual(['one', 'half line', 'three', 'four', 'five'])

    // The program ends while the window is disconnected.
    connectBridge()
    main.responses['debug.output'] = () => ({ text: 'six\n', truncated: true, to: 40 })
    emitState('ended')
    await vi.waitFor(() =>
      expect(texts().slice(5)).toEqual(['Earlier output was removed.', 'six', 'main.py has ended with exit code 0.']),
    )
  })

  it('that is loaded while the session ends is followed by a note of the end', async () => {
    const loaded = Promise.withResolvers<{ text: string; truncated: boolean; to: number }>()
    main.responses['debug.output'] = () => loaded.promise
    const emit = (state: 'running' | 'ended') =>
      main.emit('debug.changed', { ...useDebug.getState(), sessions: [stoppedSession({ state, exitCode: 3 })] })
    emit('running')
    await vi.waitFor(() => expect(main.requests.some(({ method }) => method === 'debug.output')).toBe(true))
    emit('ended')
    loaded.resolve({ text: 'one\n', truncated: false, to: 4 })
    await vi.waitFor(() => expect(texts()).toEqual(['one', 'main.py has ended with exit code 3.']))
  })

  it('of a session that starts now is followed, and its end is noted once', async () => {
    const emit = (state: 'starting' | 'ended') =>
      main.emit('debug.changed', { ...useDebug.getState(), sessions: [stoppedSession({ state, exitCode: 3 })] })
    print(0, 'hello\n')
    emit('starting')
    emit('ended')
    emit('ended')
    await vi.waitFor(() => expect(texts()).toEqual(['hello', 'main.py has ended with exit code 3.']))
    expect(main.requests.some(({ method }) => method === 'debug.output')).toBe(false)
  })
})

describe('expressions', () => {
  beforeEach(() => useDebug.setState({ sessions: [stoppedSession()], selectedSession: 'debug-1' }))

  it('are evaluated in the selected frame, and their values can be expanded', async () => {
    const selectedFrame = { id: 5, name: 'f', line: 1, column: 1, subtle: false }
    useDebug.setState({ selectedFrame })
    main.responses['debug.scopes'] = () => []
    main.responses['debug.evaluate'] = () => ({ value: '[1]', reference: 9 })
    main.responses['debug.variables'] = () => [{ name: '0', value: '1', reference: 0, readOnly: false }]
    await evaluateInput('items')
    expect(main.requests.find(({ method }) => method === 'debug.evaluate')?.params).toEqual({
      sessionId: 'debug-1',
      frameId: 5,
      expression: 'items',
      context: 'repl',
    })
    expect(texts().slice(-2)).toEqual(['items', '[1]'])
    const node = useDebugConsole.getState().rows.at(-1)?.node
    if (node) await consoleValues.toggle(node)
    expect(consoleValues.use.getState().children.get(node?.key ?? '')).toMatchObject({
      state: 'loaded',
      nodes: [{ name: '0', value: '1' }],
    })
    // What the expression has changed is read again.
    expect(main.requests.some(({ method }) => method === 'debug.scopes')).toBe(true)
  })

  it('show errors line by line, and are kept once in the history', async () => {
    main.responses['debug.evaluate'] = () => {
      throw new ToolError('server_error', 'Traceback\nNameError')
    }
    await evaluateInput('x')
    await evaluateInput('y')
    await evaluateInput('x')
    expect(texts().slice(-3)).toEqual(['x', 'Traceback', 'NameError'])
    expect(useDebugConsole.getState().history).toEqual(['y', 'x'])
  })

  it('without a program say so', async () => {
    useDebug.setState({ sessions: [] })
    await evaluateInput('x')
    expect(texts().at(-1)).toBe('No program is being debugged.')
  })
})

it('a failed start shows what the debugger printed', () => {
  reportStartFailure('main.py', { code: 'server_error', message: 'It ended.', next: 'Try again.', detail: 'a\nb\n' })
  expect(texts()).toEqual(['main.py could not be started: It ended.', 'a', 'b', 'Try again.'])
})

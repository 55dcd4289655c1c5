import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useDebug } from '../../platform/debug/debugStore.ts'
import { registerEditorService, type EditorService } from '../../platform/editor/editorService.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { frame, stoppedSession } from '../testing/sessions.ts'
import { followStops, selectStackFrame, stackRows, stopText, toggleStackRow, useCallStack } from './callStack.ts'

let main: TestMain
let stop: () => void
beforeEach(() => {
  main = testMain()
  main.responses['debug.stack'] = ({ threadId, start = 0, count = 100 }) => ({
    frames: Array.from({ length: Math.min(count, 10_000 - start) }, (_, index) =>
      frame(threadId * 100_000 + start + index),
    ),
    total: 10_000,
  })
  stop = followStops()
})
afterEach(() => {
  stop()
  useDebug.setState(useDebug.getInitialState(), true)
  useCallStack.setState(useCallStack.getInitialState(), true)
})

const rows = () => stackRows(useDebug.getState().sessions, useCallStack.getState())
const stacks = () => main.requests.filter(({ method }) => method === 'debug.stack')

describe('the call stack', () => {
  it('loads 10,000 frames a page at a time', async () => {
    useDebug.setState({ sessions: [stoppedSession()] })
    await vi.waitFor(() => expect(rows()).toHaveLength(22))
    expect(rows().at(-1)).toMatchObject({ kind: 'more', left: 9980 })
    const more = rows().at(-1)
    if (more) toggleStackRow(more)
    await vi.waitFor(() => expect(rows()).toHaveLength(122))
    expect(stacks().map(({ params }) => params)).toMatchObject([
      { start: 0, count: 20 },
      { start: 20, count: 100 },
    ])
  })

  it('of 500 threads loads only the one that stopped, and others when they are expanded', async () => {
    const threads = Array.from({ length: 500 }, (_, index) => ({ id: index + 1, name: `T${index}`, stopped: true }))
    useDebug.setState({ sessions: [stoppedSession({ threads, stop: { reason: 'pause', threadId: 7 } })] })
    await vi.waitFor(() => expect(rows()).toHaveLength(521))
    expect(stacks()).toHaveLength(1)
    const other = rows().find((row) => row.kind === 'thread' && row.thread.id === 9)
    if (other) toggleStackRow(other)
    await vi.waitFor(() => expect(stacks()).toHaveLength(2))
  })

  it('reads the frames again after a step, and forgets those of an ended session', async () => {
    useDebug.setState({ sessions: [stoppedSession()] })
    await vi.waitFor(() => expect(rows()).toHaveLength(22))
    main.responses['debug.stack'] = () => ({ frames: [frame(1)], total: 1 })
    useDebug.setState({ sessions: [stoppedSession({ stopCount: 2 })] })
    await vi.waitFor(() => expect(rows().map(({ kind }) => kind)).toEqual(['thread', 'frame']))
    useDebug.setState({ sessions: [stoppedSession({ state: 'ended', threads: [] })] })
    expect(rows()).toEqual([])
    expect(useCallStack.getState().stacks.size).toBe(0)
  })

  it('has rows for sessions if there are several, and selects frames of any', async () => {
    const openFile = vi.fn<EditorService['openFile']>(async () => undefined)
    // The call stack only opens files.
    const unregister = registerEditorService({ openFile } as unknown as EditorService)
    const other = stoppedSession({ id: 'debug-2', name: 'server' })
    useDebug.setState({ sessions: [stoppedSession(), other], selectedSession: 'debug-1' })
    await vi.waitFor(() => expect(rows().filter(({ kind }) => kind === 'frame')).toHaveLength(40))
    expect(rows().filter(({ kind }) => kind === 'session')).toMatchObject([{ id: 'debug-1' }, { id: 'debug-2' }])
    const last = rows().findLast((row) => row.kind === 'frame')
    if (last?.kind === 'frame') selectStackFrame(last, false)
    expect(useDebug.getState()).toMatchObject({ selectedSession: 'debug-2', selectedThread: 1, topFrame: 100_000 })
    expect(useDebug.getState().selectedFrame?.id).toBe(100_019)
    expect(openFile).toHaveBeenCalledWith('src/main.py', { line: 100_019, column: 1 }, { focus: false, reveal: true })
    unregister()
  })

  it('has a row for a session that the agent started', async () => {
    useDebug.setState({ sessions: [stoppedSession({ startedBy: 'agent', owner: 'agent' })] })
    await vi.waitFor(() =>
      expect(
        rows()
          .map(({ kind }) => kind)
          .slice(0, 3),
      ).toEqual(['session', 'thread', 'frame']),
    )
  })

  it('shows why frames could not be read', async () => {
    main.responses['debug.stack'] = () => {
      throw new Error('gone')
    }
    useDebug.setState({ sessions: [stoppedSession()] })
    await vi.waitFor(() => expect(rows().at(-1)).toMatchObject({ kind: 'note', text: 'gone', failed: true }))
  })

  it.each([
    ['breakpoint', 'Paused on breakpoint'],
    ['step', 'Paused on step'],
    ['exception', 'Paused on exception'],
    ['pause', 'Paused'],
    ['other', 'Paused on other'],
  ])('describes the stop "%s"', (reason, text) => {
    expect(stopText(stoppedSession({ stop: { reason, threadId: 1 } }))).toBe(text)
  })
})

import { create } from 'zustand'
import type { DebugFrame, DebugSessionInfo, DebugThread } from '../../../shared/debug/debug.ts'
import { toFailure } from '../../../shared/errors.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { liveSessions, useDebug } from '../../platform/debug/debugStore.ts'
import { openFile } from '../../platform/editor/editorService.ts'
import { attempt } from '../../platform/notices.ts'

/** The loaded frames of a thread at a stop. */
export interface Stack {
  /** Number of the stop that the frames belong to. */
  stop: number
  frames: readonly DebugFrame[]
  /** Number of frames, if the debugger reports it. */
  total: number
  loading: boolean
  failure?: string
}

interface CallStackState {
  /** By session and thread. */
  stacks: ReadonlyMap<string, Stack>
  /** Sessions and threads that the user expanded or collapsed, by key. */
  toggled: ReadonlyMap<string, boolean>
}

export const useCallStack = create<CallStackState>()(() => ({ stacks: new Map(), toggled: new Map() }))

export type StackRow =
  | { kind: 'session'; id: string; depth: number; session: DebugSessionInfo; expanded: boolean }
  | {
      kind: 'thread'
      id: string
      depth: number
      session: DebugSessionInfo
      thread: DebugThread
      expanded: boolean | null
    }
  | { kind: 'frame'; id: string; depth: number; session: DebugSessionInfo; threadId: number; frame: DebugFrame }
  | { kind: 'more'; id: string; depth: number; session: DebugSessionInfo; threadId: number; left: number }
  | { kind: 'note'; id: string; depth: number; text: string; failed: boolean }

/** Number of frames on the first page, and on later ones. */
const firstPage = 20
const nextPage = 100

export const threadKey = (sessionId: string, threadId: number): string => `${sessionId} ${threadId}`

function isThreadOpen(toggled: ReadonlyMap<string, boolean>, session: DebugSessionInfo, { id }: DebugThread): boolean {
  return toggled.get(threadKey(session.id, id)) ?? session.stop?.threadId === id
}

/**
 * Pure: the visible rows of all sessions that have not ended. The user's only session has no row of its own. One that
 * the agent started has one, which says who controls it.
 */
export function stackRows(sessions: readonly DebugSessionInfo[], { stacks, toggled }: CallStackState): StackRow[] {
  const live = liveSessions(sessions)
  const hasRows = live.length > 1 || live.some(({ startedBy }) => startedBy === 'agent')
  return live.flatMap((session): StackRow[] => {
    const expanded = toggled.get(session.id) ?? true
    const depth = hasRows ? 2 : 1
    const threads = session.threads.flatMap((thread) => threadRows(session, thread, depth, stacks, toggled))
    if (!hasRows) return threads
    const row: StackRow = { kind: 'session', id: session.id, depth: 1, session, expanded }
    return expanded ? [row, ...threads] : [row]
  })
}

function threadRows(
  session: DebugSessionInfo,
  thread: DebugThread,
  depth: number,
  stacks: CallStackState['stacks'],
  toggled: CallStackState['toggled'],
): StackRow[] {
  const id = threadKey(session.id, thread.id)
  const open = thread.stopped && isThreadOpen(toggled, session, thread)
  const row: StackRow = { kind: 'thread', id, depth, session, thread, expanded: thread.stopped ? open : null }
  if (!open) return [row]
  const stack = stacks.get(id)
  const below = { depth: depth + 1, session, threadId: thread.id }
  const current = stack?.stop === session.stopCount ? stack : undefined
  const frames = (current?.frames ?? []).map((frame, index): StackRow => ({
    kind: 'frame',
    id: `${id} ${index}`,
    ...below,
    frame,
  }))
  const left = (current?.total ?? 0) - frames.length
  return [
    row,
    ...frames,
    ...(current === undefined || (current.loading && frames.length === 0)
      ? [{ kind: 'note' as const, id: `${id} note`, depth: depth + 1, text: 'Loading…', failed: false }]
      : []),
    ...(current?.failure === undefined
      ? []
      : [{ kind: 'note' as const, id: `${id} failure`, depth: depth + 1, text: current.failure, failed: true }]),
    ...(left > 0 && current?.loading === false ? [{ kind: 'more' as const, id: `${id} more`, ...below, left }] : []),
  ]
}

/** Loads the next frames of a thread. Does nothing while they are loading. */
async function loadFrames(session: DebugSessionInfo, threadId: number): Promise<void> {
  const key = threadKey(session.id, threadId)
  const stop = session.stopCount
  const before = useCallStack.getState().stacks.get(key)
  const known = before?.stop === stop ? before : undefined
  if (known?.loading === true) return
  const frames = known?.frames ?? []
  const put = (stack: Omit<Stack, 'stop'>): void => {
    useCallStack.setState(({ stacks }) => ({ stacks: new Map(stacks).set(key, { stop, ...stack }) }))
  }
  put({ frames, total: known?.total ?? 0, loading: true })
  try {
    const page = { start: frames.length, count: frames.length === 0 ? firstPage : nextPage }
    const loaded = await request('debug.stack', { sessionId: session.id, threadId, ...page })
    if (useCallStack.getState().stacks.get(key)?.stop !== stop) return
    const all = [...frames, ...loaded.frames]
    // An empty page is the end, whatever the total says.
    put({
      frames: all,
      total: loaded.frames.length === 0 ? all.length : Math.max(loaded.total, all.length),
      loading: false,
    })
  } catch (error) {
    if (useCallStack.getState().stacks.get(key)?.stop === stop)
      put({ frames, total: frames.length, loading: false, failure: toFailure(error).message })
  }
}

export function toggleStackRow(row: StackRow): void {
  if (row.kind === 'more') return attempt(() => loadFrames(row.session, row.threadId))
  if ((row.kind !== 'session' && row.kind !== 'thread') || row.expanded === null) return
  useCallStack.setState(({ toggled }) => ({ toggled: new Map(toggled).set(row.id, !row.expanded) }))
  if (row.kind !== 'thread' || row.expanded) return
  const failed = useCallStack.getState().stacks.get(row.id)?.failure !== undefined
  if (failed) attempt(() => loadFrames(row.session, row.thread.id))
  else loadThread(row.session, row.thread.id)
}

/** Loads the first frames of a thread if they are not loaded. */
function loadThread(session: DebugSessionInfo, threadId: number): void {
  const stack = useCallStack.getState().stacks.get(threadKey(session.id, threadId))
  if (stack?.stop !== session.stopCount) attempt(() => loadFrames(session, threadId))
}

/** Selects a frame of any session and thread, and shows its line. */
export function selectStackFrame(
  { session, threadId, frame }: Extract<StackRow, { kind: 'frame' }>,
  focus: boolean,
): void {
  const top = useCallStack.getState().stacks.get(threadKey(session.id, threadId))?.frames[0]
  useDebug.setState({
    selectedSession: session.id,
    selectedThread: threadId,
    selectedFrame: frame,
    topFrame: top?.id ?? null,
  })
  const { path, line, sourceReference, source = '' } = frame
  const position = { line, column: Math.max(1, frame.column) }
  // Even if it is already selected, because the user may have scrolled away.
  if (path !== undefined) attempt(() => openFile(path, position, { focus, reveal: true }))
  else if (sourceReference !== undefined)
    attempt(async () => {
      // With the editor, which the Run view does not need.
      const { openLibraryFile } = await import('../../platform/editor/documents/libraryFiles.ts')
      openLibraryFile({
        id: `${session.id}-${sourceReference}`,
        path: source,
        position,
        read: async () => (await request('debug.source', { sessionId: session.id, sourceReference })).text,
      })
    })
}

/** Loads the frames of expanded threads at each stop. @returns a function that stops it */
export function followStops(): () => void {
  const update = (): void => {
    const { sessions } = useDebug.getState()
    const { stacks, toggled } = useCallStack.getState()
    const ids = new Set(sessions.filter(({ state }) => state !== 'ended').map(({ id }) => id))
    const kept = [...stacks].filter(([key]) => ids.has(key.slice(0, key.indexOf(' '))))
    if (kept.length < stacks.size) useCallStack.setState({ stacks: new Map(kept) })
    for (const session of sessions) {
      if (session.state !== 'stopped') continue
      for (const thread of session.threads)
        if (thread.stopped && isThreadOpen(toggled, session, thread)) loadThread(session, thread.id)
    }
  }
  update()
  return useDebug.subscribe(update)
}

const stopTexts: Readonly<Record<string, string>> = {
  breakpoint: 'Paused on breakpoint',
  'function breakpoint': 'Paused on function breakpoint',
  'data breakpoint': 'Paused on data breakpoint',
  'instruction breakpoint': 'Paused on instruction breakpoint',
  exception: 'Paused on exception',
  step: 'Paused on step',
  entry: 'Paused on entry',
  goto: 'Paused on goto',
  pause: 'Paused',
}

/** Returns why a session has stopped, in VS Code's words: "Paused on breakpoint". */
export function stopText({ stop, state }: DebugSessionInfo): string {
  if (state === 'starting') return 'Starting…'
  if (state === 'running' || stop === undefined) return 'Running'
  return stopTexts[stop.reason] ?? `Paused on ${stop.reason}`
}

import { create } from 'zustand'
import {
  emptyDebugState,
  type DebugFrame,
  type DebugOutput,
  type DebugSessionInfo,
  type DebugState,
} from '../../../shared/debug/debug.ts'
import { toFailure } from '../../../shared/errors.ts'
import { on, onConnected, request } from '../bridge/bridge.ts'
import { onAppState } from '../appState.ts'
import { attempt } from '../notices.ts'

interface DebugStore extends DebugState {
  /** The session that keys and views act on. Null without sessions. */
  selectedSession: string | null
  /** The selected thread; null: the thread that stopped. */
  selectedThread: number | null
  /** The frame whose variables are shown. Null while no session has stopped. */
  selectedFrame: DebugFrame | null
  /** Id of the top frame of the stopped thread. */
  topFrame: number | null
}

/** Debug sessions and breakpoints, mirrored from main, and the user's selection. */
export const useDebug = create<DebugStore>()(() => ({
  ...emptyDebugState,
  selectedSession: null,
  selectedThread: null,
  selectedFrame: null,
  topFrame: null,
}))

/** Returns the selected session. */
export function selectedSession(state: DebugStore = useDebug.getState()): DebugSessionInfo | undefined {
  return state.sessions.find(({ id }) => id === state.selectedSession)
}

/**
 * Pure: returns the sessions to show. Omits ended ones, and parents that only start others, such as js-debug's root
 * session.
 */
export function liveSessions(sessions: readonly DebugSessionInfo[]): readonly DebugSessionInfo[] {
  const live = sessions.filter(({ state }) => state !== 'ended')
  return live.filter((session) => session.threads.length > 0 || !live.some(({ parentId }) => parentId === session.id))
}

/** Selects a session, and the top frame of the thread that stopped. */
export function selectSession(id: string, threadId: number | null = null): void {
  useDebug.setState({ selectedSession: id, selectedThread: threadId, selectedFrame: null })
  const session = selectedSession()
  if (session?.state === 'stopped') attempt(() => selectTopFrame(session, threadId ?? session.stop?.threadId ?? 0))
}

async function selectTopFrame({ id, stopCount }: DebugSessionInfo, threadId: number): Promise<void> {
  const frames = await topFrames(id, threadId)
  const now = selectedSession()
  // The program has continued, or the user selected another session.
  if (now?.id !== id || now.stopCount !== stopCount || now.state !== 'stopped') return
  const top = frames.find((frame) => frame.path !== undefined && !frame.subtle) ?? frames[0]
  if (top !== undefined) useDebug.setState({ selectedFrame: top, topFrame: frames[0]?.id ?? null })
}

/** Returns the first frames of a thread; none if the program has continued, for example because the user steps quickly. */
async function topFrames(sessionId: string, threadId: number): Promise<DebugFrame[]> {
  try {
    return (await request('debug.stack', { sessionId, threadId, start: 0, count: 20 })).frames
  } catch (error) {
    if (toFailure(error).code === 'conflict') return []
    throw error
  }
}

function applyState(state: DebugState): void {
  const before = useDebug.getState()
  const stoppedNow = state.sessions.find((session) => {
    const earlier = before.sessions.find(({ id }) => id === session.id)
    return session.state === 'stopped' && (earlier?.state !== 'stopped' || earlier.stopCount !== session.stopCount)
  })
  const kept = state.sessions.find(({ id, state: its }) => id === before.selectedSession && its !== 'ended')
  const selected = stoppedNow ?? kept ?? state.sessions.findLast(({ state: its }) => its !== 'ended')
  const stays = selected?.id === before.selectedSession && selected?.state === 'stopped' && stoppedNow === undefined
  useDebug.setState({
    ...state,
    selectedSession: selected?.id ?? null,
    ...(!stays && { selectedFrame: null, selectedThread: null }),
  })
  if (stoppedNow !== undefined) selectSession(stoppedNow.id)
}

type OutputListener = (output: DebugOutput) => void
const outputListeners = new Set<OutputListener>()

/** Output without a listener: that of the first session of the window, while its console loads. */
let early: DebugOutput[] = []
let earlySize = 0
/** Characters kept of it. The console loads older ones as plain text. */
const maxEarly = 1_000_000

function keepEarly(output: DebugOutput): void {
  early.push(output)
  earlySize += output.text.length
  while (earlySize > maxEarly) earlySize -= early.shift()?.text.length ?? earlySize
}

function takeEarly(): readonly DebugOutput[] {
  const outputs = early
  early = []
  earlySize = 0
  return outputs
}

/**
 * Calls `listener` with all output, also with what no listener has received yet.
 * @returns a function that unsubscribes
 */
export function onDebugOutput(listener: OutputListener): () => void {
  outputListeners.add(listener)
  for (const output of takeEarly()) listener(output)
  return () => outputListeners.delete(listener)
}

/** Mirrors main's state. @returns a function that stops it */
export function registerDebug(): () => void {
  const stops = [
    on('debug.changed', applyState),
    // Output may be missing after it.
    onConnected(() => void takeEarly()),
    on('debug.output', (output) => {
      if (outputListeners.size === 0) keepEarly(output)
      for (const listener of outputListeners) listener(output)
    }),
    onAppState(({ workspace }) =>
      workspace === null
        ? applyState(emptyDebugState)
        : attempt(async () => applyState(await request('debug.state', {}))),
    ),
  ]
  return () => stops.forEach((stop) => stop())
}

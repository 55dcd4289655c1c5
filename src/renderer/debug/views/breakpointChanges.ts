import { create } from 'zustand'
import type {
  BreakpointStatus,
  DebugSessionInfo,
  FunctionBreakpoint,
  LineBreakpoint,
} from '../../../shared/debug/debug.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { promptText } from '../../platform/conversation/promptText.ts'
import { selectedSession, useDebug } from '../../platform/debug/debugStore.ts'
import { notify } from '../../platform/notices.ts'
import { replaceBreakpoints } from '../lineBreakpoints.ts'

/** Data breakpoints by session. They are removed when the session ends. */
export const useDataBreakpoints = create<{ bySession: Readonly<Record<string, readonly string[]>> }>()(() => ({
  bySession: {},
}))

/**
 * Returns the session whose debugger decides which exceptions can be chosen: the selected one, or else the last one.
 */
export function breakpointSession(state = useDebug.getState()): DebugSessionInfo | undefined {
  return selectedSession(state) ?? state.sessions.at(-1)
}

/** Stops the program when a variable changes. */
export async function addDataBreakpoint(sessionId: string, reference: number, name: string): Promise<void> {
  const { label } = await request('debug.addDataBreakpoint', { sessionId, reference, name })
  const { bySession } = useDataBreakpoints.getState()
  const labels = new Set([...(bySession[sessionId] ?? []), label])
  useDataBreakpoints.setState({ bySession: { ...bySession, [sessionId]: [...labels] } })
  notify('info', `The program stops when ${name} changes.`)
}

export async function removeDataBreakpoints(sessionId: string): Promise<void> {
  await request('debug.removeDataBreakpoints', { sessionId })
  const { bySession } = useDataBreakpoints.getState()
  useDataBreakpoints.setState({ bySession: { ...bySession, [sessionId]: [] } })
}

/** Replaces a line breakpoint. @param next null: removes it */
export async function changeLine(breakpoint: LineBreakpoint, next: LineBreakpoint | null): Promise<void> {
  const { lines } = useDebug.getState().breakpoints
  const { path } = breakpoint
  const changed = lines
    .filter((each) => each.path === path)
    .flatMap((each) => (each.id === breakpoint.id ? (next ?? []) : each))
  await replaceBreakpoints(path, changed)
}

/** Replaces a function breakpoint. @param next null: removes it */
export async function changeFunction(breakpoint: FunctionBreakpoint, next: FunctionBreakpoint | null): Promise<void> {
  const { functions } = useDebug.getState().breakpoints
  const breakpoints = functions.flatMap((each) => (each.id === breakpoint.id ? (next ?? []) : each))
  await request('debug.setFunctionBreakpoints', { breakpoints })
}

/** Asks for the name of a function, and stops at its start. */
export async function addFunctionBreakpoint(): Promise<void> {
  const name = await promptText({
    title: 'Add function breakpoint',
    label: 'Function name',
    button: 'Add',
    problem: (text) => (text.trim() === '' ? 'Enter a function name.' : null),
  })
  if (name === null) return
  const { functions } = useDebug.getState().breakpoints
  const added = { id: crypto.randomUUID(), name: name.trim(), enabled: true }
  await request('debug.setFunctionBreakpoints', { breakpoints: [...functions, added] })
}

/** Asks for the condition of a line breakpoint. An empty one removes it. */
export async function editCondition(breakpoint: LineBreakpoint): Promise<void> {
  const condition = await promptText({
    title: `Condition for ${breakpoint.path}:${breakpoint.line}`,
    label: 'Break when this expression is true (empty: always)',
    button: 'Save',
    initial: breakpoint.condition ?? '',
    problem: (text) => (text.length > 2000 ? 'The condition can have at most 2,000 characters.' : null),
  })
  if (condition === null) return
  const { condition: _before, ...rest } = breakpoint
  await changeLine(breakpoint, condition.trim() === '' ? rest : { ...rest, condition: condition.trim() })
}

/** Ids of the exception filters that are enabled for a session's debugger. */
export function enabledFilters(session: DebugSessionInfo): readonly string[] {
  const chosen = useDebug.getState().breakpoints.exceptions[session.debugger]
  return chosen ?? session.exceptionFilters.filter((each) => each.default).map(({ filter }) => filter)
}

export async function toggleFilter(session: DebugSessionInfo, filter: string): Promise<void> {
  const enabled = enabledFilters(session)
  const filters = enabled.includes(filter) ? enabled.filter((each) => each !== filter) : [...enabled, filter]
  await request('debug.setExceptionFilters', { debugger: session.debugger, filters })
}

/** Removes all line, function and data breakpoints. Exception filters stay. */
export async function removeAllBreakpoints(): Promise<void> {
  const { breakpoints, sessions } = useDebug.getState()
  const paths = new Set(breakpoints.lines.map(({ path }) => path))
  for (const path of paths) await replaceBreakpoints(path, [])
  if (breakpoints.functions.length > 0) await request('debug.setFunctionBreakpoints', { breakpoints: [] })
  const { bySession } = useDataBreakpoints.getState()
  for (const { id, state } of sessions)
    if (state !== 'ended' && (bySession[id]?.length ?? 0) > 0) await removeDataBreakpoints(id)
}

/** Enables or disables all line and function breakpoints. */
export async function enableAllBreakpoints(enabled: boolean): Promise<void> {
  const { lines, functions } = useDebug.getState().breakpoints
  const paths = new Set(lines.map(({ path }) => path))
  for (const path of paths) {
    await replaceBreakpoints(
      path,
      lines.filter((each) => each.path === path).map((each) => ({ ...each, enabled })),
    )
  }
  if (functions.length > 0)
    await request('debug.setFunctionBreakpoints', { breakpoints: functions.map((each) => ({ ...each, enabled })) })
}

/** Returns why a breakpoint does not stop the session; null if it does, or nothing runs. */
export function whyUnverified(status: BreakpointStatus | undefined, session?: DebugSessionInfo): string | null {
  if (session === undefined || session.state === 'ended' || session.state === 'starting') return null
  if (status === undefined || status.verified) return null
  return status.message ?? 'The debugger has not bound this breakpoint.'
}

import { create } from 'zustand'
import { Throttler } from '../../../shared/async/throttler.ts'
import type { SessionRow } from '../../../shared/agent/sessionRows.ts'
import { on, onConnected, request } from '../bridge/bridge.ts'

interface SessionsState {
  /** Sessions of all folders of this Tizona; null while they are not loaded. */
  rows: readonly SessionRow[] | null
  /** Number of approvals and questions that wait in sessions of other folders. */
  waiting: number
  /** Key of the row among them that asked last. */
  latest: string | null
}

export const useSessions = create<SessionsState>(() => ({ rows: null, waiting: 0, latest: null }))

const loads = new Throttler()
/** Milliseconds after which the sessions of other processes are loaded again. */
const othersInterval = 3000

/** Loads the sessions. @param refresh whether git looks for changes in the worktrees again */
export function loadSessions(refresh: boolean): Promise<void> {
  return loads.queue(async () => useSessions.setState({ rows: await request('sessions.overview', { refresh }) }))
}

/** Keeps the sessions current while a view shows them. @returns a function that stops it */
export function followSessions(onFailed: (error: unknown) => void): () => void {
  const load = (refresh: boolean) => void loadSessions(refresh).catch(onFailed)
  // No event tells how the turn of another process goes on.
  const others = setInterval(() => {
    if (useSessions.getState().rows?.some(({ place }) => place === 'elsewhere')) load(false)
  }, othersInterval)
  const stops = [onConnected(() => load(true)), on('sessions.changed', () => load(false)), () => clearInterval(others)]
  load(true)
  return () => stops.forEach((stop) => stop())
}

/** Keeps the number of waiting answers current. @returns a function that stops it */
export function followWaiting(): () => void {
  return on('sessions.changed', ({ waiting, latest }) => useSessions.setState({ waiting, latest }))
}

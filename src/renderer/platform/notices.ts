import { create } from 'zustand'
import { isAbort, toFailure } from '../../shared/errors.ts'
import { on } from './bridge/bridge.ts'

export type NoticeLevel = 'info' | 'success' | 'warning' | 'error'

export interface NoticeAction {
  label: string
  run: () => void
}

export interface Notice {
  id: number
  level: NoticeLevel
  message: string
  /** The next step, or a cause. */
  detail?: string
  actions: NoticeAction[]
  /** Milliseconds since the epoch. */
  at: number
  /** Still floats as a toast; otherwise only in the list. */
  floating: boolean
}

interface NoticesState {
  notices: Notice[]
  unread: number
  listOpen: boolean
}

/** How long a toast floats before it sinks to the list, in milliseconds. */
export const floatMs: Record<NoticeLevel, number> = { info: 6000, success: 6000, warning: 10_000, error: 10_000 }
/** Notices in the list. */
const keep = 100

export const useNotices = create<NoticesState>(() => ({ notices: [], unread: 0, listOpen: false }))

let nextId = 1

/** Tells the user something without stopping them. The same words twice in a row are shown once. */
export function notify(
  level: NoticeLevel,
  message: string,
  options: { detail?: string; actions?: NoticeAction[] } = {},
): void {
  const { notices, unread, listOpen } = useNotices.getState()
  const last = notices.at(-1)
  const repeated = last?.floating && last.message === message && last.detail === options.detail
  const id = nextId++
  const notice: Notice = {
    id,
    level,
    message,
    detail: options.detail,
    actions: options.actions ?? [],
    at: Date.now(),
    floating: true,
  }
  const others = repeated ? notices.slice(0, -1) : notices
  useNotices.setState({ notices: [...others, notice].slice(-keep), unread: listOpen || repeated ? unread : unread + 1 })
}

/** A failed action, in the failure's own words. A cancelled one says nothing. */
export function notifyFailure(error: unknown, what?: string): void {
  if (isAbort(error)) return
  const failure = toFailure(error)
  notify('error', what ? `${what}: ${failure.message}` : failure.message, failure.next ? { detail: failure.next } : {})
}

/** Runs an action started by the user; its failure becomes a notice. */
export function attempt(action: () => Promise<unknown>, what?: string): void {
  action().catch((error: unknown) => notifyFailure(error, what))
}

/** Takes a toast from view; it stays in the list. */
export function sinkNotice(id: number): void {
  useNotices.setState((state) => ({
    notices: state.notices.map((notice) => (notice.id === id ? { ...notice, floating: false } : notice)),
  }))
}

export function clearNotices(): void {
  useNotices.setState({ notices: [], unread: 0 })
}

export function showNoticeList(open: boolean): void {
  useNotices.setState((state) => ({
    listOpen: open,
    unread: 0,
    notices: open ? state.notices.map((notice) => ({ ...notice, floating: false })) : state.notices,
  }))
}

/** Main's notices appear with the window's own. @returns unsubscribe */
export function followNotices(): () => void {
  return on('notice', ({ level, message, detail }) => notify(level, message, detail ? { detail } : {}))
}

import { create } from 'zustand'
import { isAbort, toFailure } from '../../shared/errors.ts'
import { on, request } from './bridge/bridge.ts'

export type NoticeLevel = 'info' | 'success' | 'warning' | 'error'

export interface NoticeAction {
  label: string
  /** Whether the notice stays open, so that the user can run its other actions. */
  stays?: boolean
  run: () => void
}

export interface Notice {
  id: number
  level: NoticeLevel
  message: string
  /** Second line: the cause, or what to do next. */
  detail?: string
  actions: NoticeAction[]
  /** Milliseconds since the epoch. */
  at: number
  /** Whether the notice is visible as a toast. Otherwise only the list shows it. */
  toast: boolean
}

interface NoticesState {
  notices: Notice[]
  unread: number
  listOpen: boolean
}

/** Duration of toasts in milliseconds. */
export const toastDurationMs: Record<NoticeLevel, number> = {
  info: 6000,
  success: 6000,
  warning: 10_000,
  error: 10_000,
}
/** Maximum number of notices in the list. */
const maxNotices = 100

export const useNotices = create<NoticesState>(() => ({ notices: [], unread: 0, listOpen: false }))

let nextId = 1

/** Shows a notice as a toast and adds it to the list. Replaces the last toast if the texts are equal. */
export function notify(
  level: NoticeLevel,
  message: string,
  options: { detail?: string; actions?: NoticeAction[] } = {},
): void {
  const { notices, unread, listOpen } = useNotices.getState()
  const last = notices.at(-1)
  const repeated = last?.toast && last.message === message && last.detail === options.detail
  const id = nextId++
  const notice: Notice = {
    id,
    level,
    message,
    detail: options.detail,
    actions: options.actions ?? [],
    at: Date.now(),
    toast: true,
  }
  const others = repeated ? notices.slice(0, -1) : notices
  useNotices.setState({
    notices: [...others, notice].slice(-maxNotices),
    unread: listOpen || repeated ? unread : unread + 1,
  })
}

/** Shows an error as a notice. Ignores cancellations. @param context what failed, prepended to the message */
export function notifyFailure(error: unknown, context?: string): void {
  if (isAbort(error)) return
  const failure = toFailure(error)
  notify(
    'error',
    context ? `${context}: ${failure.message}` : failure.message,
    failure.next ? { detail: failure.next } : {},
  )
}

/** Runs an action and shows its failure as a notice. @param context as for `notifyFailure` */
export function attempt(action: () => Promise<unknown>, context?: string): void {
  action().catch((error: unknown) => notifyFailure(error, context))
}

/** Hides a toast. The notice stays in the list. */
export function hideToast(id: number): void {
  useNotices.setState((state) => ({
    notices: state.notices.map((notice) => (notice.id === id ? { ...notice, toast: false } : notice)),
  }))
}

export function clearNotices(): void {
  useNotices.setState({ notices: [], unread: 0 })
}

export function showNoticeList(open: boolean): void {
  useNotices.setState((state) => ({
    listOpen: open,
    unread: 0,
    notices: open ? state.notices.map((notice) => ({ ...notice, toast: false })) : state.notices,
  }))
}

/** Shows notices that main sends. @returns a function that unsubscribes */
export function followNotices(): () => void {
  return on('notice', ({ level, message, detail, url }) =>
    notify(level, message, { ...(detail && { detail }), ...(url && { actions: [openPage(url)] }) }),
  )
}

/** Opens a page in the user's browser. */
function openPage(url: string): NoticeAction {
  return {
    label: 'Open page',
    run: () => attempt(() => request('app.openExternal', { url }), 'The page could not be opened'),
  }
}

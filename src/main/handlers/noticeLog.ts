import type { EventName, Events } from '../../shared/protocol.ts'
import { logShown, type LogLevel } from '../base/log/log.ts'

const levels: Record<Events['notice']['level'], LogLevel> = { error: 'error', warning: 'warn', info: 'info' }

/** Logs notices, which come from every service and child process. Other events are not logged. */
export function logNotice<N extends EventName>(name: N, payload: Events[N]): void {
  if (name !== 'notice') return
  // The payload of this name.
  const notice = payload as Events['notice']
  logShown(levels[notice.level], noticeText(notice))
}

/** A notice as one text. */
export function noticeText({ message, detail }: Events['notice']): string {
  return [message, detail].filter(Boolean).join(' ')
}

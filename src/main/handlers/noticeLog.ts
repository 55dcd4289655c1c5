import type { EventName, Events } from '../../shared/bridge/protocol.ts'
import { logToFile, type LogLevel } from '../base/log/log.ts'

const levels: Record<Events['notice']['level'], LogLevel> = { error: 'error', warning: 'warn', info: 'info' }

/** Logs an event if it is a notice. */
export function logNotice<N extends EventName>(name: N, payload: Events[N]): void {
  if (name !== 'notice') return
  // TypeScript does not tie the payload to the name.
  const notice = payload as Events['notice']
  logToFile(levels[notice.level], noticeText(notice))
}

/** Joins the message and the detail of a notice. */
export function noticeText({ message, detail }: Events['notice']): string {
  return [message, detail].filter(Boolean).join(' ')
}

import type { EventName, Events } from '../../shared/bridge/protocol.ts'
import type { Emit } from '../agent/transcript.ts'
import { log, logToFile, type LogLevel } from '../base/log/log.ts'
import type { EditorPort } from '../workspace/editorPort.ts'
import { createAttachedWindow, type WindowLink } from './attachedWindow.ts'

export interface EventHub {
  /** The editor of the attached window. */
  readonly editor: EditorPort
  /** Sends an event to the attached window and to all subscribers. Notices are also logged. */
  emit: Emit
  /** Shows a notice in the window, or in the next one that attaches. */
  notify(notice: Events['notice']): void
  /** Shows a warning as a notice. */
  warn(message: string): void
  /** Attaches a window and sends it the notices that it missed. @returns a function that detaches the window */
  attach(link: WindowLink): () => void
  /** Calls `listener` with every event. @returns a function that unsubscribes */
  subscribe(listener: Emit): () => void
}

/** @param windowed whether the host has a window. If not, notices before the first subscriber are only logged. */
export function createEventHub(windowed: boolean): EventHub {
  const window = createAttachedWindow(windowed)
  const listeners = new Set<Emit>()
  const missedNotices: Events['notice'][] = []

  const emit: Emit = <N extends EventName>(name: N, payload: Events[N]) => {
    logNotice(name, payload)
    window.emit(name, payload)
    for (const listener of listeners) listener(name, payload)
  }

  function notify(notice: Events['notice']): void {
    if (!windowed && listeners.size === 0) log.warn(noticeText(notice))
    else if (window.editor.attached || !windowed) emit('notice', notice)
    else {
      logNotice('notice', notice)
      missedNotices.push(notice)
    }
  }

  return {
    editor: window.editor,
    emit,
    notify,
    warn: (message) => notify({ level: 'warning', message }),
    attach(link) {
      const detach = window.attach(link)
      for (const notice of missedNotices.splice(0)) link.emit('notice', notice)
      return detach
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const levels: Record<Events['notice']['level'], LogLevel> = { error: 'error', warning: 'warn', info: 'info' }

/** Logs an event if it is a notice. */
function logNotice<N extends EventName>(name: N, payload: Events[N]): void {
  if (name !== 'notice') return
  // TypeScript does not tie the payload to the name.
  const notice = payload as Events['notice']
  logToFile(levels[notice.level], noticeText(notice))
}

/** Joins the message and the detail of a notice. */
function noticeText({ message, detail }: Events['notice']): string {
  return [message, detail].filter(Boolean).join(' ')
}

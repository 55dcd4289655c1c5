import { EventEmitter, once } from 'node:events'
import type { EventName, Events } from '../../shared/bridge/protocol.ts'
import { ToolError } from '../../shared/errors.ts'
import type { Emit } from '../agent/conversation/transcript.ts'
import { log, logToFile, type LogLevel } from '../base/log/log.ts'
import type { EditorPort } from '../workspace/editorPort.ts'

export interface EventHub {
  /** The editor of the attached window. */
  readonly editor: EditorPort
  /** Sends an event to the attached window and all subscribers. Also logs notices. */
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

/** Joins the message and detail of a notice. */
function noticeText({ message, detail }: Events['notice']): string {
  return [message, detail].filter(Boolean).join(' ')
}

/** A connected window: receives events and answers editor requests. The host creates one per connection. */
export interface WindowLink {
  emit<N extends EventName>(name: N, payload: Events[N]): void
  ask: EditorPort['ask']
}

/** Milliseconds that a request waits for a window that reloads or reconnects. */
const reconnectTimeout = 5000
/**
 * Milliseconds to wait for a response, so that a call does not hang with the window. Loading the editor takes seconds.
 */
const answerTimeout = 20_000

interface AttachedWindow {
  /** The editor of the attached window. */
  readonly editor: EditorPort
  emit<N extends EventName>(name: N, payload: Events[N]): void
  /** Attaches a window and detaches the previous one. @returns a function that detaches the window */
  attach(link: WindowLink): () => void
}

/**
 * Tracks which window shows the workspace.
 * @param expected whether the host has windows. If so, requests wait for a window that reloads.
 */
function createAttachedWindow(expected: boolean): AttachedWindow {
  let current: WindowLink | undefined
  const arrivals = new EventEmitter()
  // Each waiting request adds a listener.
  arrivals.setMaxListeners(0)
  /** Requests only wait for a window that has been attached before. */
  let hadWindow = false

  async function window(signal?: AbortSignal): Promise<WindowLink> {
    if (!current && expected && hadWindow) {
      const timeout = AbortSignal.timeout(reconnectTimeout)
      try {
        await once(arrivals, 'attached', { signal: signal ? AbortSignal.any([signal, timeout]) : timeout })
      } catch (error) {
        if (signal?.aborted) throw error
      }
    }
    if (current) return current
    throw new ToolError(
      'no_window',
      'No editor window is open.',
      'Use the file tools instead: read_file, apply_patch, write_file.',
    )
  }

  return {
    editor: {
      get attached() {
        return current !== undefined
      },
      async ask(name, params, signal) {
        const link = await window(signal)
        const timeout = AbortSignal.timeout(answerTimeout)
        try {
          return await link.ask(name, params, signal ? AbortSignal.any([signal, timeout]) : timeout)
        } catch (error) {
          if (timeout.aborted && !signal?.aborted)
            throw new ToolError(
              'timeout',
              `The editor window did not respond within ${answerTimeout / 1000} s.`,
              'Use the file tools instead, or ask the user to reload the window.',
              { cause: error },
            )
          throw error
        }
      },
    },
    emit: (name, payload) => current?.emit(name, payload),
    attach(link) {
      current?.emit('app.detached', {
        reason: 'Your tabs and unsaved text moved to the new window. Only one window can be used at a time.',
      })
      current = link
      hadWindow = true
      arrivals.emit('attached')
      return () => {
        if (current === link) current = undefined
      }
    },
  }
}

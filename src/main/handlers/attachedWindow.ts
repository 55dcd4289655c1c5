import { EventEmitter, once } from 'node:events'
import { ToolError } from '../../shared/errors.ts'
import type { EventName, Events } from '../../shared/bridge/protocol.ts'
import type { EditorPort } from '../workspace/editorPort.ts'

/** A connected window: receives events and answers editor requests. The host creates one per connection. */
export interface WindowLink {
  emit<N extends EventName>(name: N, payload: Events[N]): void
  ask: EditorPort['ask']
}

/** How long a request waits for a window that reloads or reconnects, in milliseconds. */
const reconnectTimeout = 5000
/**
 * Time limit for an answer in milliseconds, so that a call does not hang with the window. Loading the editor takes
 * seconds.
 */
const answerTimeout = 20_000

export interface AttachedWindow {
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
export function createAttachedWindow(expected: boolean): AttachedWindow {
  let current: WindowLink | undefined
  const arrivals = new EventEmitter()
  // Each waiting request adds a listener.
  arrivals.setMaxListeners(0)
  /** Requests wait only for a window that has been attached before. */
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
              `The editor window did not answer within ${answerTimeout / 1000} s.`,
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

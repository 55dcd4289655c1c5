import { EventEmitter, once } from 'node:events'
import { ToolError } from '../../shared/errors.ts'
import type { EventName, Events } from '../../shared/protocol.ts'
import type { EditorPort } from '../workspace/editorPort.ts'

/** A connected window: receives events and answers questions. The host creates one per connection. */
export interface WindowLink {
  emit<N extends EventName>(name: N, payload: Events[N]): void
  ask: EditorPort['ask']
}

/** How long a question waits for a window that reloads or reconnects, in milliseconds. */
const graceMs = 5000
/** Time limit of an answer in milliseconds, so that a call does not hang with the window. Loading the editor takes seconds. */
const answerMs = 20_000

export interface AttachedWindow {
  /** The editor of the attached window. */
  readonly editor: EditorPort
  emit<N extends EventName>(name: N, payload: Events[N]): void
  /** Attaches a window and detaches the previous one. @returns detach */
  attach(link: WindowLink): () => void
}

/**
 * The window that shows the workspace.
 * @param expected whether the host has a window: then calls wait for one that reloads
 */
export function createAttachedWindow(expected: boolean): AttachedWindow {
  let current: WindowLink | undefined
  const arrivals = new EventEmitter()
  // Every waiting call adds a listener.
  arrivals.setMaxListeners(0)
  /** A window was attached before. Calls do not wait for the first one. */
  let seen = false

  async function window(signal?: AbortSignal): Promise<WindowLink> {
    if (!current && expected && seen) {
      const timeout = AbortSignal.timeout(graceMs)
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
        const timeout = AbortSignal.timeout(answerMs)
        try {
          return await link.ask(name, params, signal ? AbortSignal.any([signal, timeout]) : timeout)
        } catch (error) {
          if (timeout.aborted && !signal?.aborted)
            throw new ToolError(
              'timeout',
              `The editor window did not answer within ${answerMs / 1000} s.`,
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
      seen = true
      arrivals.emit('attached')
      return () => {
        if (current === link) current = undefined
      }
    },
  }
}

import { EventEmitter, once } from 'node:events'
import { ToolError } from '../../shared/errors.ts'
import type { EventName, Events } from '../../shared/protocol.ts'
import type { EditorPort } from '../workspace/editorPort.ts'

/** A window as the core sees it: it takes events and answers asks. A shell makes one per connection. */
export interface WindowLink {
  emit<N extends EventName>(name: N, payload: Events[N]): void
  ask: EditorPort['ask']
}

/** How long an ask waits for a window that reloads or reconnects before it fails. */
const graceMs = 5000
/** A window that has not answered by then hangs: a call must not hang with it. Loading the editor takes a few seconds at most. */
const answerMs = 20_000

export interface AttachedWindow {
  /** The editor port of whatever window is attached. */
  readonly editor: EditorPort
  emit<N extends EventName>(name: N, payload: Events[N]): void
  /** Attaching another window tells the first to stop. @returns detach */
  attach(link: WindowLink): () => void
}

/**
 * The one window that shows the workspace. `expected`: whether one is on its way when none is attached (a shell with
 * windows), so that a reload in the middle of a turn does not fail a call.
 */
export function createAttachedWindow(expected: boolean): AttachedWindow {
  let current: WindowLink | undefined
  const arrivals = new EventEmitter()
  // Each waiting call listens; many at once are no leak.
  arrivals.setMaxListeners(0)
  /** The window was here at least once; before that nobody is waited for. */
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
      'No editor window is open, so there is no editor to ask.',
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
        reason: 'Your tabs and unsaved text went along. Only one window works at a time.',
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

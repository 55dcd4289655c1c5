import { EventEmitter } from 'node:events'
import { preventable } from './guarded.ts'

/** Emits the events of `app`. */
export const appEvents = new EventEmitter()

interface Closable {
  close(): void
}

/** Open windows in the order of their creation. */
export const openWindows = new Set<Closable>()
let quitting = false
let exiting: ((code: number) => Promise<void>) | null = null

/** Registers a function that is awaited before the process ends. */
export function onExit(act: (code: number) => Promise<void>): void {
  exiting = act
}

/** Closes all windows, then exits unless a listener prevents it. */
export function quit(): void {
  if (!quitting) {
    const before = preventable({})
    appEvents.emit('before-quit', before)
    if (before.defaultPrevented) return
    quitting = true
  }
  if (openWindows.size === 0) return willQuit()
  for (const window of openWindows) window.close()
}

/** Cancels `quit` because a window stays open. */
export function quitCancelled(): void {
  quitting = false
}

/** Called after a window was closed. */
export function windowClosed(): void {
  if (openWindows.size > 0) return
  // While quitting Electron emits `will-quit` instead.
  if (quitting) willQuit()
  else if (appEvents.listenerCount('window-all-closed') > 0) appEvents.emit('window-all-closed')
  else quit()
}

function willQuit(): void {
  const event = preventable({})
  appEvents.emit('will-quit', event)
  if (event.defaultPrevented) quitting = false
  else exit(0)
}

/** Exits immediately, without closing windows. */
export function exit(code = 0): void {
  appEvents.emit('quit', {}, code)
  Promise.resolve(exiting?.(code)).then(
    () => process.exit(code),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
}

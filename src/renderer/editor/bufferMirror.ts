import type { Bridge } from '../bridge.ts'

/** What main has to know about an open file; `text` is null while it is the one on disk. */
export interface MirroredBuffer {
  open: boolean
  dirty: boolean
  text: string | null
}

/** Tells main which files are open and what is unsaved in them, so that a reload loses nothing. */
export function createBufferMirror(request: Bridge['request'], stateOf: (path: string) => MirroredBuffer) {
  const timers = new Map<string, ReturnType<typeof setTimeout>>()

  function now(path: string): void {
    clearTimeout(timers.get(path))
    timers.delete(path)
    // While disconnected nothing arrives; everything is told again at the next connection.
    request('buffers.sync', { path, ...stateOf(path) }).catch(() => undefined)
  }

  return {
    now,
    /** Within `delay` milliseconds, however long the user goes on typing. */
    soon(path: string, delay: number): void {
      if (timers.has(path)) return
      timers.set(
        path,
        setTimeout(() => now(path), delay),
      )
    },
    /** At once, what was to be told soon: the page is about to go. */
    flush(): void {
      for (const path of timers.keys()) now(path)
    },
    /** Forgets what was to be told. */
    stop(): void {
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
    },
  }
}

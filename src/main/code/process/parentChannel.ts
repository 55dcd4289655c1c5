import { isMainThread, parentPort } from 'node:worker_threads'

/** The channel of a child process to the process that started it (childProcess.ts). */
export interface ParentChannel {
  post(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

/** What Electron documents of `process.parentPort`. */
interface UtilityPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
}

/** Throws in a process that was not started with a channel. The process ends as soon as its parent has gone. */
export function parentChannel(): ParentChannel {
  // Defined by Electron in utility processes only, whose types are not loaded here.
  const { parentPort: utility } = process as { parentPort?: UtilityPort }
  if (utility)
    return {
      post: (message) => utility.postMessage(message),
      onMessage: (listener) => utility.on('message', ({ data }) => listener(data)),
    }
  if (!isMainThread && parentPort) {
    const port = parentPort
    return { post: (message) => port.postMessage(message), onMessage: (listener) => void port.on('message', listener) }
  }
  if (!process.send) throw new Error('This module runs as a child process of Tizona only.')
  process.on('disconnect', () => process.exit(0))
  // Ctrl+C in a terminal reaches the whole group; the parent ends this process when it is done with it.
  process.on('SIGINT', () => undefined)
  // A message that cannot be sent belongs to a parent that has gone; `disconnect` follows.
  return {
    post: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    onMessage: (listener) => void process.on('message', listener),
  }
}

import { isMainThread, parentPort } from 'node:worker_threads'

/** The channel from a child process to its parent (childProcess.ts). */
export interface ParentChannel {
  post(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

/** The documented part of Electron's `process.parentPort`. */
interface UtilityPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
}

/**
 * Opens the channel. The process ends when its parent ends.
 * @throws Error if the process was started without a channel
 */
export function parentChannel(): ParentChannel {
  // Only defined in Electron's utility processes, whose types are not loaded here.
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
  if (!process.send) throw new Error('This module must run as a child process of Tizona.')
  process.on('disconnect', () => process.exit(0))
  // Ctrl+C in a terminal reaches the whole process group; the parent decides when to end this process.
  process.on('SIGINT', () => undefined)
  // If a message cannot be sent, the parent has exited and `disconnect` follows.
  return {
    post: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    onMessage: (listener) => void process.on('message', listener),
  }
}

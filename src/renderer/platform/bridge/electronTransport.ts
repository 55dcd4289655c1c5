import type { MainMessage, WindowMessage } from '../../../shared/bridge/protocol.ts'
import type { Transport } from './transport.ts'

/** API of the preload script (src/preload). */
export interface PreloadBridge {
  post(message: WindowMessage): void
  /** @returns a function that unsubscribes */
  onMessage(listener: (message: MainMessage) => void): () => void
  /** Returns the absolute path of a dropped file; '' for a file that a page created. */
  pathOf(file: File): string
}

declare global {
  interface Window {
    tizona?: PreloadBridge
  }
}

/** Transport over Electron's IPC. Connected until the window closes or another window takes over. */
export function electronTransport(preload: PreloadBridge): Transport {
  let stopped = false
  return {
    start(receiver) {
      preload.onMessage((message) => receiver.message(message))
      receiver.status({ kind: 'connected' })
    },
    send(message) {
      if (stopped) return false
      preload.post(message)
      return true
    },
    stop() {
      stopped = true
    },
  }
}

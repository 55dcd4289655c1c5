import type { MainMessage, WindowMessage } from '../../../shared/protocol.ts'
import type { Transport } from './transport.ts'

/** The API of the preload script in Electron (src/preload). */
export interface PreloadBridge {
  post(message: WindowMessage): void
  /** @returns unsubscribe */
  onMessage(listener: (message: MainMessage) => void): () => void
  /** Absolute path of a dropped file; empty for a file that a page created. */
  pathOf(file: File): string
}

declare global {
  interface Window {
    tizona?: PreloadBridge
  }
}

/** Electron's IPC. It is connected while the window exists, unless main detaches the window. */
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

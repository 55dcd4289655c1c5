import type { MainMessage, WindowMessage } from '../../../shared/protocol.ts'
import type { Transport } from './transport.ts'

/** What the preload script exposes in Electron (src/preload). */
export interface PreloadBridge {
  post(message: WindowMessage): void
  /** @returns unsubscribe */
  onMessage(listener: (message: MainMessage) => void): () => void
  /** Where a dropped file is on disk; empty for one that a page made. */
  pathOf(file: File): string
}

declare global {
  interface Window {
    tizona?: PreloadBridge
  }
}

/** Electron's IPC: always connected while the window lives, unless main detached it. */
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

import type { MainMessage, WindowMessage } from '../../../shared/bridge/protocol.ts'

/** State of the connection to main. The transport stays in `refused` and `detached`. */
export type BridgeStatus =
  | { kind: 'connecting' }
  | { kind: 'connected' }
  | { kind: 'reconnecting'; attempt: number }
  | { kind: 'refused'; reason: string }
  | { kind: 'detached'; reason: string }

/** Carries messages between the window and main: IPC in Electron, a WebSocket in the browser host. */
export interface Transport {
  start(receiver: TransportReceiver): void
  /** Sends a message. @returns false if there is no connection */
  send(message: WindowMessage): boolean
  /** Closes the connection permanently. */
  stop(): void
}

export interface TransportReceiver {
  message(message: MainMessage): void
  status(status: BridgeStatus): void
}

import type { MainMessage, WindowMessage } from '../../../shared/protocol.ts'

/** The state of the connection to main. `refused` and `detached` last until the user acts. */
export type BridgeStatus =
  | { kind: 'connecting' }
  | { kind: 'connected' }
  | { kind: 'reconnecting'; attempt: number }
  | { kind: 'refused'; reason: string }
  | { kind: 'detached'; reason: string }

/** Carries messages between the window and main: IPC in Electron, a WebSocket in the browser host. */
export interface Transport {
  start(receiver: TransportReceiver): void
  /** @returns false when there is no connection that could carry it. */
  send(message: WindowMessage): boolean
  /** Closes the connection permanently. */
  stop(): void
}

export interface TransportReceiver {
  message(message: MainMessage): void
  status(status: BridgeStatus): void
}

import type { MainMessage, WindowMessage } from '../../../shared/protocol.ts'

/** What the connection to main is doing; `refused` and `detached` are final until the user acts. */
export type BridgeStatus =
  | { kind: 'connecting' }
  | { kind: 'connected' }
  | { kind: 'reconnecting'; attempt: number }
  | { kind: 'refused'; reason: string }
  | { kind: 'detached'; reason: string }

/** Carries envelopes to main and back: IPC in Electron, a WebSocket in the browser shell. */
export interface Transport {
  start(receiver: TransportReceiver): void
  /** @returns false when there is no connection that could carry it. */
  send(message: WindowMessage): boolean
  /** Drops the connection for good. */
  stop(): void
}

export interface TransportReceiver {
  message(message: MainMessage): void
  status(status: BridgeStatus): void
}

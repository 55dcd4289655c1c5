import { decodeMessage, encodeMessage } from '../../../shared/messageFrames.ts'
import type { MainMessage, WindowMessage } from '../../../shared/protocol.ts'
import type { Transport, TransportReceiver } from './transport.ts'
import { forgetSecret, sessionSecret, SessionRefused } from './sessionSecret.ts'

/** Close code of the server for a wrong secret. */
const wrongSecretCode = 4401
const firstDelayMs = 250
const maxDelayMs = 8000
/** Timeout in milliseconds for the server's welcome message. The transport then reconnects. */
const maxWelcomeMs = 30_000

/** Returns the delay in milliseconds before a reconnection attempt (1-based). It doubles up to 8 s. */
export function backoffDelay(attempt: number): number {
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1))
}

export interface SocketOptions {
  url?: string
  secret?: () => Promise<string>
  open?: (url: string) => WebSocket
  maxWelcomeMs?: number
}

function bridgeUrl(): string {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/bridge`
}

/** Transport over the browser host's WebSocket. Reconnects until it is stopped or the server refuses its secret. */
export function socketTransport(options: SocketOptions = {}): Transport {
  const secret = options.secret ?? sessionSecret
  const open = options.open ?? ((url: string) => new WebSocket(url))
  let receiver: TransportReceiver | null = null
  let socket: WebSocket | null = null
  let welcomed = false
  let stopped = false
  let attempt = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function retry(): void {
    if (stopped) return
    attempt++
    receiver?.status({ kind: 'reconnecting', attempt })
    timer = setTimeout(() => void dial(), backoffDelay(attempt))
  }

  async function dial(): Promise<void> {
    clearTimeout(timer)
    let key: string
    try {
      key = await secret()
    } catch (error) {
      if (error instanceof SessionRefused) receiver?.status({ kind: 'refused', reason: error.message })
      else retry()
      return
    }
    if (stopped) return
    const current = open(options.url ?? bridgeUrl())
    current.binaryType = 'arraybuffer'
    socket = current
    welcomed = false
    const stalled = setTimeout(() => current.close(), options.maxWelcomeMs ?? maxWelcomeMs)
    current.addEventListener('open', () => current.send(JSON.stringify({ kind: 'hello', secret: key })))
    current.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (current !== socket) return
      // The messages come from Tizona's server on this origin.
      const message = decodeMessage(data instanceof ArrayBuffer ? new Uint8Array(data) : String(data)) as
        | MainMessage
        | { kind: 'welcome' }
      if (message.kind === 'welcome') {
        clearTimeout(stalled)
        welcomed = true
        attempt = 0
        receiver?.status({ kind: 'connected' })
      } else {
        receiver?.message(message)
      }
    })
    current.addEventListener('close', (event) => {
      clearTimeout(stalled)
      if (current !== socket) return
      socket = null
      welcomed = false
      if (event.code === wrongSecretCode) {
        stopped = true
        forgetSecret()
        receiver?.status({
          kind: 'refused',
          reason: 'This session ended because Tizona was restarted or the session expired.',
        })
      } else {
        retry()
      }
    })
  }

  return {
    start(newReceiver) {
      receiver = newReceiver
      void dial()
    },
    send(message: WindowMessage) {
      if (!socket || !welcomed) return false
      socket.send(encodeMessage(message))
      return true
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      const current = socket
      socket = null
      welcomed = false
      current?.close()
    },
  }
}

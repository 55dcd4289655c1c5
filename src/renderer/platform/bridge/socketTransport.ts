import {
  decodeMessage,
  encodeMessage,
  textPath,
  attachText,
  type FetchedMessage,
} from '../../../shared/bridge/messageFrames.ts'
import type { Failure } from '../../../shared/errors.ts'
import type { MainMessage, WindowMessage } from '../../../shared/bridge/protocol.ts'
import type { Transport, TransportReceiver } from './transport.ts'
import { forgetSecret, hasToken, sessionSecret, SessionRefused } from './sessionSecret.ts'
import { Delayer } from '../../../shared/async/delayer.ts'

/** The server's close code for a wrong secret. */
const wrongSecretCode = 4401
const firstDelayMs = 250
const maxDelayMs = 8000
/** Time in milliseconds to wait for the server's welcome message before reconnecting. */
const maxWelcomeMs = 30_000

/** Returns the delay in milliseconds before a reconnection attempt (1-based). It doubles up to 8 s. */
export function backoffDelay(attempt: number): number {
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1))
}

export interface SocketOptions {
  url?: string
  secret?: () => Promise<string>
  open?: (url: string) => WebSocket
  fetchText?: (id: string) => Promise<ArrayBuffer>
  maxWelcomeMs?: number
  reload?: () => void
}

interface Welcome {
  kind: 'welcome'
}
type ReceivedMessage = MainMessage | FetchedMessage | Welcome

/**
 * Fetches the long text of a message.
 * @throws TypeError if the server cannot be reached, Error if it does not have the text
 */
async function fetchFromServer(id: string): Promise<ArrayBuffer> {
  const response = await fetch(`${textPath}${id}`, { method: 'POST' })
  if (!response.ok) throw new Error(`The server answered with status ${response.status}.`)
  return response.arrayBuffer()
}

function bridgeUrl(): string {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/bridge`
}

/** Returns the message with its text. If the text of a response cannot be fetched, its request fails. */
async function withFetchedText(
  { text, ...header }: FetchedMessage,
  fetchText: (id: string) => Promise<ArrayBuffer>,
): Promise<MainMessage> {
  try {
    // Only responses have texts to fetch.
    return attachText(header, new Uint8Array(await fetchText(text))) as MainMessage
  } catch (error) {
    const { id } = header.message as { id: number }
    return { kind: 'response', id, ok: false, error: textLost(error) }
  }
}

/**
 * Delivers messages in order. Messages after a long text wait until it is fetched.
 * @returns a function that accepts the next message
 */
function inOrder(
  fetchText: (id: string) => Promise<ArrayBuffer>,
  deliver: (message: MainMessage | Welcome) => void,
): (message: ReceivedMessage) => void {
  const waiting: ReceivedMessage[] = []
  let fetching = false

  async function deliverWaiting(): Promise<void> {
    fetching = true
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const message = next.kind === 'fetch' ? await withFetchedText(next, fetchText) : next
      try {
        deliver(message)
      } catch (error) {
        // Like a throwing event listener: later messages are still delivered.
        reportError(error)
      }
    }
    fetching = false
  }

  return (message) => {
    if (!fetching && message.kind !== 'fetch') return deliver(message)
    waiting.push(message)
    if (!fetching) void deliverWaiting()
  }
}

function textLost(error: unknown): Failure {
  return {
    code: 'io_error',
    message: `The text could not be transferred: ${error instanceof Error ? error.message : String(error)}`,
    next: 'Try again.',
  }
}

/** Transport over the browser host's WebSocket. Reconnects until it is stopped or the server refuses its secret. */
export function socketTransport(options: SocketOptions = {}): Transport {
  const secret = options.secret ?? sessionSecret
  const open = options.open ?? ((url: string) => new WebSocket(url))
  const fetchText = options.fetchText ?? fetchFromServer
  /** Identifies this page, so that the session can tell it from another page that was opened in the meantime. */
  const page = crypto.getRandomValues(new Uint32Array(4)).join('-')
  let wasConnected = false
  let receiver: TransportReceiver | null = null
  let socket: WebSocket | null = null
  let welcomed = false
  let stopped = false
  let attempt = 0
  const redial = new Delayer(dial)

  function retry(): void {
    if (stopped) return
    attempt++
    receiver?.status({ kind: 'reconnecting', attempt })
    redial.start(backoffDelay(attempt))
  }

  async function dial(): Promise<void> {
    redial.cancel()
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
    current.addEventListener('open', () =>
      current.send(JSON.stringify({ kind: 'hello', secret: key, page, again: wasConnected })),
    )
    const accept = inOrder(fetchText, (message) => {
      if (current !== socket) return
      if (message.kind === 'welcome') {
        clearTimeout(stalled)
        welcomed = true
        wasConnected = true
        attempt = 0
        receiver?.status({ kind: 'connected' })
      } else {
        receiver?.message(message)
      }
    })

    current.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      // The messages come from Tizona's server on this origin.
      accept(decodeMessage(data instanceof ArrayBuffer ? new Uint8Array(data) : String(data)) as ReceivedMessage)
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

  /**
   * A new one-time URL in the same tab changes only the part after `#`, so the browser does not load the page again.
   */
  function onAddressChanged(): void {
    if (hasToken()) (options.reload ?? (() => location.reload()))()
  }

  return {
    start(newReceiver) {
      receiver = newReceiver
      addEventListener('hashchange', onAddressChanged)
      void dial()
    },
    send(message: WindowMessage) {
      if (!socket || !welcomed) return false
      socket.send(encodeMessage(message))
      return true
    },
    stop() {
      stopped = true
      removeEventListener('hashchange', onAddressChanged)
      redial.cancel()
      const current = socket
      socket = null
      welcomed = false
      current?.close()
    },
  }
}

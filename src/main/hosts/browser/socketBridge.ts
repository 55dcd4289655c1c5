import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import { z } from 'zod'
import {
  decodeMessage,
  encodeMessage,
  minFetchedTextLength,
  detachText,
  type FetchedMessage,
} from '../../../shared/bridge/messageFrames.ts'
import type { MainMessage } from '../../../shared/bridge/protocol.ts'
import type { Core, WindowLink } from '../../core.ts'
import { connectWindow, type Transport } from '../windowConnection.ts'
import type { FetchedTexts } from './fetchedTexts.ts'
import type { RequestAuthentication } from './requestAuthentication.ts'

/** Maximum bytes of a message from the window: enough for a 50 MB file as JSON text. */
export const maxMessageBytes = 160 * 1024 * 1024
/**
 * Maximum number of bytes buffered for a window that does not read. Beyond it, the window is disconnected and can
 * reconnect.
 */
const maxBufferedBytes = 256 * 1024 * 1024
/** Maximum number of bytes that a connection may send before its hello is accepted, including framing. */
const maxHelloBytes = 4096
/** Interval between pings, in milliseconds. */
const heartbeatInterval = 30_000

/** Close code for a connection without a valid session secret. */
const closeUnauthorized = 4401
/** Close code for a connection that sent no hello in time. The window retries. */
const closeHelloTimeout = 4408

/** The most recently attached page. */
export interface AttachedPage {
  id: string | null
  /** Its connection; null if no page was attached. */
  link: WindowLink | null
}

const pageSchema = z.object({ page: z.string().max(100).nullable().default(null), again: z.boolean().default(false) })

interface BridgeOptions {
  core(): Core
  attached: AttachedPage
  /** The underlying connection, whose bytes are counted until the hello. */
  stream: Duplex
  authentication: Pick<RequestAuthentication, 'isValidHello'>
  texts: FetchedTexts
  /** Milliseconds to wait for the hello. */
  helloTimeout: number
}

/**
 * Authenticates a new WebSocket and attaches it as the window. The first message must be `{kind:'hello', secret}`; the
 * response is `{kind:'welcome'}`. `page` identifies the page, and `again` marks a reconnection, which is refused if
 * another page was attached meanwhile. Closes the socket with 4401 for any other message and with 4408 after a timeout.
 * Terminates it after more than `maxHelloBytes` without a hello.
 * @returns a promise that resolves after the hello, or when the socket is closed
 */
export function acceptBridge(
  socket: WebSocket,
  { core, attached, stream, authentication, texts, helloTimeout }: BridgeOptions,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let received = 0
  const count = (chunk: Buffer): void => {
    received += chunk.length
    if (received > maxHelloBytes) socket.terminate()
  }
  // Registered first, so that bytes are counted before the socket parses them.
  stream.prependListener('data', count)
  // The `close` event that follows cleans up.
  socket.on('error', () => socket.terminate())
  const timeout = setTimeout(() => socket.close(closeHelloTimeout, 'No hello was received.'), helloTimeout)
  socket.once('close', () => {
    clearTimeout(timeout)
    resolve()
  })
  socket.once('message', (data) => {
    clearTimeout(timeout)
    const hello = parse(data, false)
    if (!authentication.isValidHello(hello)) return socket.close(closeUnauthorized, 'Invalid session.')
    stream.off('data', count)
    resolve()
    const { page, again } = pageSchema.catch({ page: null, again: false }).parse(hello)
    if (again && page !== attached.id) return refuseOlderPage(socket)
    attached.id = page
    socket.send(JSON.stringify({ kind: 'welcome' }))
    keepAlive(socket)
    attached.link = connectWindow(core(), socketTransport(socket, texts))
  })
  return promise
}

/**
 * Detaches a page that reconnects after another page was opened: the other page has the session, and this page's texts
 * are older.
 */
function refuseOlderPage(socket: WebSocket): void {
  const message: MainMessage = {
    kind: 'event',
    name: 'app.detached',
    payload: { reason: 'While the connection was lost, Tizona was opened in another window.' },
  }
  socket.send(encodeMessage(message))
  socket.close()
}

function socketTransport(socket: WebSocket, texts: FetchedTexts): Transport {
  /** Texts that the window has not fetched, and their total length in UTF-16 units. */
  const kept = new Set<() => void>()
  let keptLength = 0
  socket.once('close', () => {
    for (const forget of kept) forget()
  })

  /** Stores a long text for the window. Returns the message without it. */
  function withFetchedText(message: MainMessage): object {
    const split = message.kind === 'response' ? detachText(message, minFetchedTextLength) : null
    if (split === null) return message
    const { header, text } = split
    const { id, forget } = texts.keep(text, () => {
      kept.delete(forget)
      keptLength -= text.length
    })
    kept.add(forget)
    keptLength += text.length
    return { kind: 'fetch', text: id, ...header } satisfies FetchedMessage
  }

  return {
    send(message: MainMessage) {
      if (socket.readyState !== socket.OPEN) return
      if (socket.bufferedAmount + keptLength > maxBufferedBytes) socket.terminate()
      else socket.send(encodeMessage(withFetchedText(message)))
    },
    onMessage(listener) {
      socket.on('message', (data, binary) => listener(parse(data, binary)))
    },
    onClose(listener) {
      socket.once('close', listener)
    },
  }
}

/** Terminates a connection whose peer no longer responds to pings, for example behind a broken tunnel. */
function keepAlive(socket: WebSocket): void {
  let alive = true
  socket.on('pong', () => {
    alive = true
  })
  const timer = setInterval(() => {
    if (!alive) return socket.terminate()
    alive = false
    socket.ping()
  }, heartbeatInterval)
  timer.unref()
  socket.once('close', () => clearInterval(timer))
}

/** Parses a message. Returns undefined, which no schema accepts, for an invalid one. */
function parse(data: RawData, binary: boolean): unknown {
  try {
    const buffer = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer)
    return decodeMessage(binary ? buffer : buffer.toString('utf8'))
  } catch {
    return undefined
  }
}

import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import { z } from 'zod'
import { decodeMessage, encodeMessage } from '../../../shared/messageFrames.ts'
import type { MainMessage } from '../../../shared/protocol.ts'
import type { Core } from '../../core.ts'
import { connectWindow, type Transport } from '../windowConnection.ts'
import type { Sessions } from './sessionTokens.ts'

/** The longest message a window may send: a 50 MB file as JSON text, generously. */
export const maxMessageBytes = 160 * 1024 * 1024
/** A window that reads nothing while this much waits for it is cut off; it reconnects and asks for the state anew. */
const maxWaitingBytes = 256 * 1024 * 1024
/** What a connection may send before its hello was accepted, framing included. Bytes. */
export const maxHelloBytes = 4096
const heartbeatEvery = 30_000

/** Close code for a connection that did not prove itself. */
export const closeUnauthorised = 4401
/** Close code for a connection that said nothing in time. Its window may be busy, so it may try again. */
export const closeSilent = 4408

const hello = z.object({ kind: z.literal('hello'), secret: z.string().max(200) })

interface BridgeOptions {
  core: Core
  /** The connection underneath, whose bytes are counted until the hello. */
  stream: Duplex
  sessions: Sessions
  /** Milliseconds. */
  helloTimeout: number
}

/**
 * A new WebSocket. Its first message must be `{kind:'hello', secret}`; then it is answered `{kind:'welcome'}` and becomes
 * the window. Anything else closes it with 4401, silence with 4408; more than `maxHelloBytes` before that cuts it off, since the
 * limit for a window's messages is far too much for a stranger.
 * @returns resolves when the socket waits no longer: its hello came, or it is gone
 */
export function acceptBridge(
  socket: WebSocket,
  { core, stream, sessions, helloTimeout }: BridgeOptions,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let received = 0
  const count = (chunk: Buffer): void => {
    received += chunk.length
    if (received > maxHelloBytes) socket.terminate()
  }
  // Before the socket itself reads them.
  stream.prependListener('data', count)
  // `close` follows every error, and there is nothing to add to it.
  socket.on('error', () => socket.terminate())
  const refuse = (why: string): void => socket.close(closeUnauthorised, why)
  const silence = setTimeout(() => socket.close(closeSilent, 'No hello came.'), helloTimeout)
  socket.once('close', () => {
    clearTimeout(silence)
    resolve()
  })
  socket.once('message', (data) => {
    clearTimeout(silence)
    const first = hello.safeParse(parse(data, false))
    if (!first.success || !sessions.check(first.data.secret)) return refuse('Not a session of this Tizona.')
    stream.off('data', count)
    resolve()
    socket.send(JSON.stringify({ kind: 'welcome' }))
    keepAlive(socket)
    connectWindow(core, socketTransport(socket))
  })
  return promise
}

function socketTransport(socket: WebSocket): Transport {
  return {
    send(message: MainMessage) {
      if (socket.readyState !== socket.OPEN) return
      if (socket.bufferedAmount > maxWaitingBytes) socket.terminate()
      else socket.send(encodeMessage(message))
    },
    onMessage(listener) {
      socket.on('message', (data, binary) => listener(parse(data, binary)))
    },
    onClose(listener) {
      socket.once('close', listener)
    },
  }
}

/** Notices a peer that vanished without closing, as behind a broken tunnel. */
function keepAlive(socket: WebSocket): void {
  let alive = true
  socket.on('pong', () => {
    alive = true
  })
  const timer = setInterval(() => {
    if (!alive) return socket.terminate()
    alive = false
    socket.ping()
  }, heartbeatEvery)
  timer.unref()
  socket.once('close', () => clearInterval(timer))
}

/** A message as a value; what is none becomes undefined, which no schema accepts. */
function parse(data: RawData, binary: boolean): unknown {
  try {
    const buffer = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer)
    return decodeMessage(binary ? buffer : buffer.toString('utf8'))
  } catch {
    return undefined
  }
}

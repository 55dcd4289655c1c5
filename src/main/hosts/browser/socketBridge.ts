import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import { z } from 'zod'
import { decodeMessage, encodeMessage } from '../../../shared/messageFrames.ts'
import type { MainMessage } from '../../../shared/protocol.ts'
import type { Core } from '../../core.ts'
import { connectWindow, type Transport } from '../windowConnection.ts'
import type { Sessions } from './sessionTokens.ts'

/** Maximum size of a message of the window in bytes: a 50 MB file as JSON text. */
export const maxMessageBytes = 160 * 1024 * 1024
/** Maximum number of bytes buffered for a window that does not read. A window that exceeds it is disconnected and can reconnect. */
const maxWaitingBytes = 256 * 1024 * 1024
/** Maximum number of bytes of a connection before its hello, framing included. */
const maxHelloBytes = 4096
const heartbeatEvery = 30_000

/** Close code for a connection without a valid session secret. */
const closeUnauthorised = 4401
/** Close code for a connection without a hello in time. A busy window may try again. */
const closeSilent = 4408

const hello = z.object({ kind: z.literal('hello'), secret: z.string().max(200) })

interface BridgeOptions {
  core: Core
  /** The underlying connection, whose bytes are counted until the hello. */
  stream: Duplex
  sessions: Sessions
  /** Milliseconds. */
  helloTimeout: number
}

/**
 * Authenticates a new WebSocket. After a valid first message `{kind:'hello', secret}` it gets `{kind:'welcome'}` and is the
 * window. Any other message closes it with 4401, a timeout with 4408. More than `maxHelloBytes` before the hello terminate it.
 * @returns resolves after the hello, or when the socket is closed
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
    if (!first.success || !sessions.check(first.data.secret)) return refuse('Invalid session.')
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

/** Detects a peer that disappeared without closing, e.g. behind a broken tunnel. */
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

/** Parses a message. Invalid ones become undefined, which no schema accepts. */
function parse(data: RawData, binary: boolean): unknown {
  try {
    const buffer = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer)
    return decodeMessage(binary ? buffer : buffer.toString('utf8'))
  } catch {
    return undefined
  }
}

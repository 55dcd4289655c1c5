import { decodePayload, encodePayload, frameParts, type Frame } from './frames.ts'

/** What carries the frames of a channel until it breaks. */
export interface FrameLine {
  write(parts: readonly Uint8Array[]): void
  /** Ends the line, because the other side does not keep to the protocol or does not read. */
  destroy(): void
}

/** How far a channel is, for the other side after a reconnection. */
export interface ChannelPosition {
  /** Number of the last received message. */
  received: number
  /** Number of the first message that can still be sent. Those between `received` of the other side and it are lost. */
  first: number
}

/**
 * Delivers each message exactly once and in order, however often its line breaks: messages are numbered, kept until
 * the other side has confirmed them, and sent again over the next line. A message that arrives twice is dropped.
 */
export interface ReliableChannel {
  /** Sends a message, or keeps it for the next line. @throws ToolError if it is too long */
  send(message: object): void
  /**
   * Continues over a new line. Sends again what the other side has not received.
   *
   * @returns whether messages of one side were dropped that the other one has not received
   */
  attach(line: FrameLine, peer: ChannelPosition): boolean
  /** The line has broken. Does nothing if another one was attached since. */
  detach(line: FrameLine): void
  /** Accepts a frame of kind `text`, `binary` or `ack`. */
  accept(frame: Frame): void
  position(): ChannelPosition
  /** Whether messages wait until the other side confirms them. */
  hasUnconfirmed(): boolean
  /** Forgets everything, because the other side has begun a new channel. */
  reset(): void
}

interface ChannelOptions {
  deliver(message: unknown): void
  /** Maximum bytes kept while a line is attached. Beyond, the line ends and the messages are lost. */
  maxAttached?: number
  /** Maximum bytes kept without a line. */
  maxDetached?: number
}

/** Messages after which the other side is told how many were received. */
const ackEvery = 32
/** Milliseconds after which it is told at the latest. */
const ackDelay = 100

interface Kept {
  number: number
  kind: 'text' | 'binary'
  payload: Uint8Array
}

export function createReliableChannel({
  deliver,
  maxAttached = 256 * 1024 * 1024,
  maxDetached = 32 * 1024 * 1024,
}: ChannelOptions): ReliableChannel {
  let line: FrameLine | null = null
  let kept: Kept[] = []
  let keptBytes = 0
  let sent = 0
  let received = 0
  let confirmed = 0
  /** Messages were dropped since the last line. Until the next one, further messages are dropped as well. */
  let lost = false
  let ackTimer: ReturnType<typeof setTimeout> | undefined

  function confirm(): void {
    clearTimeout(ackTimer)
    ackTimer = undefined
    if (line === null || confirmed === received) return
    confirmed = received
    line.write(frameParts('ack', received))
  }

  function forget(upTo: number): void {
    const first = kept.findIndex(({ number }) => number > upTo)
    const gone = kept.splice(0, first === -1 ? kept.length : first)
    for (const { payload } of gone) keptBytes -= payload.length
  }

  function drop(): void {
    kept = []
    keptBytes = 0
    lost = true
    line?.destroy()
  }

  function receive(frame: Frame): void {
    // Sent again, although it had arrived.
    if (frame.number <= received) return
    if (frame.number !== received + 1) return line?.destroy()
    let message: unknown
    try {
      message = decodePayload(frame)
    } catch {
      return line?.destroy()
    }
    received = frame.number
    deliver(message)
    if (received - confirmed >= ackEvery) confirm()
    else ackTimer ??= setTimeout(confirm, ackDelay)
  }

  return {
    send(message) {
      if (lost) return
      const item = { number: sent + 1, ...encodePayload(message) }
      sent += 1
      kept.push(item)
      keptBytes += item.payload.length
      if (keptBytes > (line === null ? maxDetached : maxAttached)) drop()
      else line?.write(frameParts(item.kind, item.number, item.payload))
    },
    attach(next, peer) {
      line?.destroy()
      line = next
      const isGap = lost || peer.first > received + 1
      // Dropped messages do not return. The window loads its state again.
      if (peer.first > received + 1) received = peer.first - 1
      // The other side sees by the next numbers that messages are missing, also if this line never carries one.
      lost = false
      forget(peer.received)
      confirmed = received
      for (const { kind, number, payload } of kept) line.write(frameParts(kind, number, payload))
      return isGap
    },
    detach(broken) {
      if (line !== broken) return
      line = null
      clearTimeout(ackTimer)
      ackTimer = undefined
      if (keptBytes > maxDetached) drop()
    },
    accept(frame) {
      if (frame.kind === 'ack') forget(frame.number)
      else receive(frame)
    },
    position: () => ({ received, first: kept[0]?.number ?? sent + 1 }),
    hasUnconfirmed: () => lost || kept.length > 0,
    reset() {
      clearTimeout(ackTimer)
      ackTimer = undefined
      kept = []
      keptBytes = 0
      sent = 0
      received = 0
      confirmed = 0
      lost = false
    },
  }
}

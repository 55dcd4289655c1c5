import type { Readable } from 'node:stream'
import type { DataCallback, Message, MessageReader } from 'vscode-jsonrpc/node'
import { formatSize } from '../../shared/text/formatSize.ts'
import { createByteWindow, createContentLengthFrames, parseMessage } from '../base/contentLengthFrames.ts'

/** Maximum bytes of all messages within `windowMs`. */
const maxWindowBytes = 256 * 1024 * 1024
const windowMs = 5000

/**
 * Reads a server's messages. Replaces the reader of vscode-jsonrpc, which has no limits: it buffers a message of any
 * size, and with each chunk searches everything received so far for a header.
 * @param onAbuse called once with the reason if the output is not in the protocol or exceeds a limit
 */
export function createMessageReader(output: Readable, onAbuse: (reason: string) => void): MessageReader {
  let stopped = false
  const stop = (reason: string): void => {
    if (stopped) return
    stopped = true
    onAbuse(reason)
  }
  const event = () => ({ dispose: () => undefined })
  return {
    onError: event,
    onPartialMessage: event,
    onClose(listener) {
      const closed = (): void => listener()
      output.once('close', closed)
      return { dispose: () => output.off('close', closed) }
    },
    listen(callback: DataCallback) {
      const frames = createContentLengthFrames(stop)
      const received = createByteWindow(windowMs)
      const read = (chunk: Buffer): void => {
        if (received(chunk.length) > maxWindowBytes)
          stop(`It sent more than ${formatSize(maxWindowBytes)} within ${windowMs / 1000} s.`)
        for (const frame of stopped ? [] : frames(chunk)) {
          const message = parseMessage(frame)
          if (message === null) stop('It sent a message that is not JSON.')
          // The connection replies to or ignores messages with missing fields.
          else callback(message as Message)
        }
      }
      output.on('data', read)
      return { dispose: () => output.off('data', read) }
    },
    dispose: () => undefined,
  }
}

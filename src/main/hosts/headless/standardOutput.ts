import type { Writable } from 'node:stream'
import { Delayer } from '../../../shared/async/delayer.ts'

/**
 * Reason for aborting when the reader of standard output closes the pipe (`tizona run … | head`). Not reported as a
 * failure.
 */
export class BrokenPipe extends Error {
  override readonly name = 'BrokenPipe'
}

export interface Output {
  /** Writes one line of text. */
  line(text: string): void
  /** Writes one JSON value on one line. */
  json(value: unknown): void
  /** Writes text unchanged. */
  write(text: string): void
  /** Aborted with a `BrokenPipe` when the reader closes the pipe, or with the error of a failed write. */
  readonly closed: AbortSignal
  /** Resolves when all output has been written. */
  flush(): Promise<void>
}

/** Milliseconds that text waits for more text. */
const togetherMs = 5

/** Creates an output on which a closed pipe does not cause an unhandled error. */
export function createOutput(stream: Writable): Output {
  const closed = new AbortController()
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
      closed.abort(new BrokenPipe('The reader closed the pipe.'))
    else closed.abort(error)
  })
  let pending = ''
  const writePending = (): void => {
    writing.cancel()
    const text = pending
    pending = ''
    if (text !== '' && !closed.signal.aborted) stream.write(text)
  }
  const writing = new Delayer(writePending, togetherMs)
  // Batches lines for a few milliseconds: each write to a pipe is a blocking system call, and most lines come between a
  // model's response and the next request.
  const write = (text: string): void => {
    if (closed.signal.aborted) return
    writing.start()
    pending += text
  }
  return {
    write,
    line: (text) => write(`${text}\n`),
    json: (value) => write(`${JSON.stringify(value)}\n`),
    closed: closed.signal,
    flush: () =>
      new Promise((resolve) => {
        writePending()
        if (closed.signal.aborted) return resolve()
        closed.signal.addEventListener('abort', () => resolve(), { once: true })
        stream.write('', () => resolve())
      }),
  }
}

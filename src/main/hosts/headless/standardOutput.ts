import type { Writable } from 'node:stream'

/** The reader of standard output closed the pipe (`tizona run … | head`). Not a failure. */
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
  /** Aborted with a `BrokenPipe` when the pipe is closed. */
  readonly gone: AbortSignal
  /** Resolves when all output has been written. */
  flush(): Promise<void>
}

/** Creates an output that does not crash when the reader closes the pipe. */
export function createOutput(stream: Writable): Output {
  const gone = new AbortController()
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
      gone.abort(new BrokenPipe('The reader closed the pipe.'))
    else gone.abort(error)
  })
  const write = (text: string): void => {
    if (!gone.signal.aborted) stream.write(text)
  }
  return {
    write,
    line: (text) => write(`${text}\n`),
    json: (value) => write(`${JSON.stringify(value)}\n`),
    gone: gone.signal,
    flush: () =>
      new Promise((resolve) => {
        if (gone.signal.aborted) return resolve()
        gone.signal.addEventListener('abort', () => resolve(), { once: true })
        stream.write('', () => resolve())
      }),
  }
}

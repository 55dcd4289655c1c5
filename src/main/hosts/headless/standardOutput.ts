import type { Writable } from 'node:stream'

/** The reader of our output went away (`tizona run … | head`): not a failure, there is nobody left to tell. */
export class BrokenPipe extends Error {
  override readonly name = 'BrokenPipe'
}

export interface Output {
  /** One line of text. */
  line(text: string): void
  /** One JSON value on a line of its own. */
  json(value: unknown): void
  /** Text as it is. */
  write(text: string): void
  /** Aborted with a `BrokenPipe` once nobody reads any more. */
  readonly gone: AbortSignal
  /** Resolves when everything written has been handed over. */
  flush(): Promise<void>
}

/** Writes for scripts: whole lines, and no crash when the reader leaves. */
export function createOutput(stream: Writable): Output {
  const gone = new AbortController()
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
      gone.abort(new BrokenPipe('The reader went away.'))
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

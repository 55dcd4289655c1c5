import { once } from 'node:events'
import type { Writable } from 'node:stream'

/**
 * Resolves when a stream accepts more after `write` returned false, or when it is closed. Leaves no listener behind.
 * @throws the error of the stream
 */
export async function drained(stream: Writable): Promise<void> {
  const settled = new AbortController()
  const { signal } = settled
  try {
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })])
  } finally {
    settled.abort()
  }
}

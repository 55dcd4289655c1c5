import { once } from 'node:events'
import type { Writable } from 'node:stream'

/**
 * Resolves when a stream accepts more data after `write` returned false, or when it is closed. Removes its listeners.
 * @throws the stream's error
 */
export async function waitForDrain(stream: Writable): Promise<void> {
  const settled = new AbortController()
  const { signal } = settled
  try {
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })])
  } finally {
    settled.abort()
  }
}

import { createHash } from 'node:crypto'

/** Number of bytes to hash before yielding to other work. Hashing them takes about a millisecond. */
const hashChunk = 1024 * 1024

/** Returns the SHA-256 in hexadecimal digits. Yields between two chunks of a large content. */
export async function hashOf(content: Buffer): Promise<string> {
  const digest = createHash('sha256')
  for (let at = 0; at < content.length; at += hashChunk) {
    if (at > 0) await new Promise(setImmediate)
    digest.update(content.subarray(at, at + hashChunk))
  }
  return digest.digest('hex')
}

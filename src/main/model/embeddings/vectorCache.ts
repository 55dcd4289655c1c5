import { createHash } from 'node:crypto'

/** Vectors by model and text, in memory. The least recently used are dropped. */
export interface VectorCache {
  get(model: string, text: string): Float32Array | undefined
  set(model: string, text: string, vector: Float32Array): void
  clear(): void
}

/** @param maxValues maximum numbers in all vectors, of 4 bytes each */
export function createVectorCache(maxValues: number): VectorCache {
  const vectors = new Map<string, Float32Array>()
  let values = 0
  const key = (model: string, text: string): string =>
    createHash('sha256').update(model).update('\0').update(text).digest('base64')
  const remove = (name: string): void => {
    values -= vectors.get(name)?.length ?? 0
    vectors.delete(name)
  }
  return {
    get(model, text) {
      const name = key(model, text)
      const vector = vectors.get(name)
      if (vector) {
        // Maps keep their insertion order.
        vectors.delete(name)
        vectors.set(name, vector)
      }
      return vector
    },
    clear() {
      vectors.clear()
      values = 0
    },
    set(model, text, vector) {
      const name = key(model, text)
      remove(name)
      vectors.set(name, vector)
      values += vector.length
      for (const oldest of vectors.keys()) {
        if (values <= maxValues) break
        remove(oldest)
      }
    },
  }
}

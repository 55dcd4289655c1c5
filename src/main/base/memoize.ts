/**
 * Memoizes a pure function of objects that never change, such as the messages of a conversation, which every request
 * repeats. A result lives as long as its object.
 */
export function memoizeObjects<K extends object, V extends {}>(compute: (object: K) => V): (object: K) => V {
  const known = new WeakMap<K, V>()
  return (object) => {
    const found = known.get(object)
    if (found !== undefined) return found
    const result = compute(object)
    known.set(object, result)
    return result
  }
}

/** Minimum length of a memoized text. Computing shorter ones is as fast as looking them up. */
const minLength = 100
/** Maximum total length of memoized texts, in characters. */
const defaultMaxCharacters = 4_000_000

/**
 * Memoizes a pure function of texts that recur, such as the messages of a conversation. At the limit the cache is
 * cleared.
 */
export function memoizeTexts<T>(
  compute: (text: string) => T,
  maxCharacters = defaultMaxCharacters,
): (text: string) => T {
  const known = new Map<string, T>()
  let characters = 0
  return (text) => {
    if (text.length < minLength) return compute(text)
    const found = known.get(text)
    if (found !== undefined) return found
    const result = compute(text)
    characters += text.length
    if (characters > maxCharacters) {
      known.clear()
      characters = text.length
    }
    known.set(text, result)
    return result
  }
}

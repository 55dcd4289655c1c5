/**
 * Remembers the results of a pure function for objects that never change, such as the messages of a conversation, which
 * each request repeats. A result lives as long as its object.
 */
export function rememberObjects<K extends object, V extends {}>(compute: (object: K) => V): (object: K) => V {
  const known = new WeakMap<K, V>()
  return (object) => {
    const found = known.get(object)
    if (found !== undefined) return found
    const result = compute(object)
    known.set(object, result)
    return result
  }
}

/** Minimum length of a remembered text. Shorter ones are computed as fast as they are found. */
const minLength = 100
/** Maximum length of all remembered texts, in characters. */
const defaultMaxCharacters = 4_000_000

/**
 * Remembers the results of a pure function for texts that are passed again and again, such as the messages of a
 * conversation, which each request repeats. At the limit all are forgotten.
 */
export function rememberTexts<T>(
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

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

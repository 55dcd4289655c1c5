/**
 * Computes a value on first use. For tables and schemas that every start loads but few starts need: building one takes
 * up to 1% of a command's start.
 */
export function once<T>(compute: () => T): () => T {
  let known: { value: T } | undefined
  return () => (known ??= { value: compute() }).value
}

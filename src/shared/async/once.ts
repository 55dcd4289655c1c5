/**
 * Computes a value when it is first needed. For tables and schemas of modules that each start loads but few starts use:
 * computing one takes up to a hundredth of the start of a command.
 */
export function once<T>(compute: () => T): () => T {
  let known: { value: T } | undefined
  return () => (known ??= { value: compute() }).value
}

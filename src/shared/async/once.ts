/**
 * Runs a function on first use only, and returns its result from then on. For registrations, and for tables and schemas
 * that every start loads but few starts need: building one takes up to 1% of a command's start.
 */
export function once<T>(compute: () => T): () => T {
  let known: { value: T } | undefined
  return () => (known ??= { value: compute() }).value
}

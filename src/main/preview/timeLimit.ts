/** Work in a page that exceeded its time limit. */
export const lateError = new Error('The time limit was exceeded.')

/** Waits for work. @throws `lateError`, or the reason of the signal */
export async function within<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  // Nobody waits for late failures.
  work.catch(() => undefined)
  signal.throwIfAborted()
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ms)])
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.aborted ? signal.reason : lateError)
  limit.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    limit.removeEventListener('abort', onAbort)
  }
}

/**
 * Waits for a promise, but no longer than a time. The work behind the promise goes on.
 * @param late result after `ms` milliseconds
 */
export async function raceTimeout<T, L = undefined>(promise: Promise<T>, ms: number, late?: L): Promise<T | L>
export async function raceTimeout<T>(promise: Promise<T>, ms: number, late?: unknown): Promise<unknown> {
  const { promise: timeout, resolve } = Promise.withResolvers<unknown>()
  const timer = setTimeout(resolve, ms, late)
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer))
}

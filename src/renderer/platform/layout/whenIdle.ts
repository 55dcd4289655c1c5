/**
 * Runs an action when the page is idle, but after `timeout` milliseconds at the latest. Browsers without idle callbacks
 * run it after the current task.
 * @returns a function that cancels it
 */
export function whenIdle(action: () => void, timeout: number): () => void {
  if ('requestIdleCallback' in globalThis) {
    const id = requestIdleCallback(action, { timeout })
    return () => cancelIdleCallback(id)
  }
  const id = setTimeout(action)
  return () => clearTimeout(id)
}

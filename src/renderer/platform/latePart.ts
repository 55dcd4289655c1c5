/** A part of the window that loads when it is first needed, and then follows events. */
export interface LatePart<T> {
  /** Loads and starts it, once. A failure rejects, and the next call loads again. */
  load(): Promise<T>
  /** Stops it. The next `load` starts it again. */
  stop(): void
}

/**
 * Creates a part that loads late.
 * @param start follows events; returns the function that stops it
 */
export function latePart<T>(load: () => Promise<T>, start: (part: T) => () => void): LatePart<T> {
  let loading: Promise<T> | undefined
  let stop = (): void => undefined
  async function loadAndStart(isCurrent: () => boolean): Promise<T> {
    const part = await load()
    if (isCurrent()) stop = start(part)
    return part
  }
  return {
    load() {
      if (loading) return loading
      const started: Promise<T> = loadAndStart(() => loading === started)
      loading = started
      started.catch(() => {
        if (loading === started) loading = undefined
      })
      return started
    },
    stop() {
      stop()
      stop = () => undefined
      loading = undefined
    },
  }
}

import { useEffect, useState, type ComponentType, type ReactNode } from 'react'

/** A component that loads when it is first shown. */
export type LazyView<P extends object> = ComponentType<P> & {
  /** Loads it, so that its first render is synchronous. A failure is ignored, because rendering loads again. */
  preload(): Promise<void>
}

/**
 * Creates a component that loads on first render, and afterwards renders synchronously. If loading fails, it throws the
 * error and loads again on the next mount. React.lazy would show its fallback for at least 300 ms, because React
 * throttles suspended content (FALLBACK_THROTTLE_MS in react-reconciler).
 * @param fallback shown while it loads, or a function of the properties
 */
export function lazyView<P extends object>(
  load: () => Promise<ComponentType<P>>,
  fallback: ReactNode | ((props: P) => ReactNode),
): LazyView<P> {
  let loaded: ComponentType<P> | undefined
  let failed = false
  async function loadOnce(): Promise<ComponentType<P>> {
    try {
      if (failed) reloadStyles()
      loaded = await load()
      failed = false
      return loaded
    } catch (error) {
      failed = true
      throw error
    }
  }
  function Lazy(props: P) {
    const [View, setView] = useState(() => loaded)
    const [failure, setFailure] = useState<{ error: unknown }>()
    useEffect(() => {
      if (loaded) return setView(() => loaded)
      let mounted = true
      loadOnce().then(
        (component) => mounted && setView(() => component),
        (error: unknown) => mounted && setFailure({ error }),
      )
      return () => {
        mounted = false
      }
    }, [])
    if (failure) throw failure.error
    if (View) return <View {...props} />
    return typeof fallback === 'function' ? fallback(props) : fallback
  }
  async function preload(): Promise<void> {
    if (!loaded) await loadOnce().catch(() => undefined)
  }
  return Object.assign(Lazy, { preload })
}

/**
 * Reloads all style sheets, because Vite requests each only once and browsers do not report which one failed. Removes
 * an old one after its replacement has loaded.
 */
function reloadStyles(): void {
  for (const link of document.querySelectorAll('link[rel="stylesheet"]')) {
    const copy = document.createElement('link')
    for (const { name, value } of link.attributes) copy.setAttribute(name, value)
    copy.addEventListener('load', () => link.remove())
    copy.addEventListener('error', () => copy.remove())
    link.after(copy)
  }
}

/**
 * Whether an error message from Chromium, Firefox, Safari or Vite means that a chunk failed to load, for example after
 * an update.
 */
export function isLoadError(message: string): boolean {
  return /dynamically imported module|importing a module script failed|unable to preload css/i.test(message)
}

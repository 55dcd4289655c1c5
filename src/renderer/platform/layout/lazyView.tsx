import { useEffect, useState, type ComponentType, type ReactNode } from 'react'

/**
 * Creates a component that loads when it is first rendered, and renders at once after that. If loading failed, it throws
 * the error and loads again on the next mount. Unlike React.lazy, it does not stay on its fallback for 300 ms: React
 * shows what was suspended at most that often (FALLBACK_THROTTLE_MS of react-reconciler).
 * @param fallback what shows until then, or a function of the properties
 */
export function lazyView<P extends object>(
  load: () => Promise<ComponentType<P>>,
  fallback: ReactNode | ((props: P) => ReactNode),
): ComponentType<P> {
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
  return function LazyView(props: P) {
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
}

/**
 * Reloads all style sheets: Vite requests each only once, and browsers do not report which one failed. Removes an old
 * one after its replacement has loaded.
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
 * Whether an error message of Chromium, Firefox, Safari or Vite means that a chunk failed to load, as after an update.
 */
export function isLoadError(message: string): boolean {
  return /dynamically imported module|importing a module script failed|unable to preload css/i.test(message)
}

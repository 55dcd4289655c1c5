import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react'

/**
 * Creates a component that loads when it is first rendered. Unlike React.lazy, it loads again on the next mount after a
 * failure.
 */
export function lazyView<P extends object>(
  load: () => Promise<ComponentType<P>>,
  fallback: ReactNode,
): ComponentType<P> {
  const fresh = () =>
    lazy(async () => {
      try {
        if (failed) reloadStyles()
        return { default: await load() }
      } catch (error) {
        failed = true
        current = fresh()
        throw error
      }
    })
  let failed = false
  let current = fresh()
  return function LazyView(props: P) {
    const [Loaded] = useState(() => current)
    return (
      <Suspense fallback={fallback}>
        <Loaded {...props} />
      </Suspense>
    )
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

import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react'

/**
 * A component that loads when it is first shown. Unlike with React.lazy, each mount after a failed load tries again.
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
 * Reloads all style sheets, because Vite requests each only once and the browser does not report which of them failed.
 * Each old one is removed after its replacement has loaded.
 */
function reloadStyles(): void {
  for (const link of document.querySelectorAll('link[rel="stylesheet"]')) {
    const again = document.createElement('link')
    for (const { name, value } of link.attributes) again.setAttribute(name, value)
    again.addEventListener('load', () => link.remove())
    again.addEventListener('error', () => again.remove())
    link.after(again)
  }
}

/**
 * Whether an error message of Chromium, Firefox, Safari or Vite means that a chunk failed to load, as after an upgrade.
 */
export function isLoadError(message: string): boolean {
  return /dynamically imported module|importing a module script failed|unable to preload css/i.test(message)
}

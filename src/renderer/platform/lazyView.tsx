import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react'

/**
 * A part that is loaded when it is first shown. React.lazy keeps a rejected load for good; here each mount after a failure
 * loads again.
 */
export function lazyPart<P extends object>(
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
  return function LazyPart(props: P) {
    const [Loaded] = useState(() => current)
    return (
      <Suspense fallback={fallback}>
        <Loaded {...props} />
      </Suspense>
    )
  }
}

/**
 * Vite asks for a part's style sheet once only, so one that did not arrive is asked for again here. A browser does not tell
 * which ones those are: all are, and each old one goes when its like is there.
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

/** Whether a part's file could not be fetched, in the words of Chromium, Firefox, Safari or Vite: after an upgrade it is gone. */
export function isLoadError(message: string): boolean {
  return /dynamically imported module|importing a module script failed|unable to preload css/i.test(message)
}

import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react'

/**
 * A part that is loaded when it is first shown. React.lazy keeps a rejected load for good; here each mount after a failure
 * loads again.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>, fallback: ReactNode): ComponentType<P> {
  const fresh = () =>
    lazy(async () => {
      try {
        return { default: await load() }
      } catch (error) {
        current = fresh()
        throw error
      }
    })
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

/** Whether a part's file could not be fetched, in the words of Chromium, Firefox, Safari or Vite: after an upgrade it is gone. */
export function isLoadError(message: string): boolean {
  return /dynamically imported module|importing a module script failed|unable to preload css/i.test(message)
}

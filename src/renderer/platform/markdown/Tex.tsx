import { useEffect, useRef, useState } from 'react'
import { logError } from '../windowLog.ts'

/** Maximum length of a formula in UTF-16 units. */
const maxLength = 5000

/** Distance from the visible part within which formulas are drawn. */
const drawnMargin = '600px'

type Draw = () => void
const waiting = new WeakMap<Element, Draw>()

let observer: IntersectionObserver | undefined

/**
 * Draws a formula when it comes near the visible part, so that a text with thousands of formulas does not block.
 * @returns a function that stops it
 */
function drawWhenNear(element: Element, draw: Draw): () => void {
  // The DOM of unit tests does not have it.
  if (typeof IntersectionObserver === 'undefined') draw()
  else {
    waiting.set(element, draw)
    observer ??= new IntersectionObserver(drawNear, { rootMargin: drawnMargin })
    observer.observe(element)
  }
  return () => observer?.unobserve(element)
}

function drawNear(entries: readonly IntersectionObserverEntry[]): void {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue
    observer?.unobserve(target)
    waiting.get(target)?.()
  }
}

async function loadKatex() {
  const [{ default: katex }] = await Promise.all([import('katex'), import('katex/dist/katex.min.css')])
  return katex
}

/**
 * A TeX formula. KaTeX builds elements instead of HTML text and runs without `trust`, so there are no links, images,
 * classes or styles. A formula with an error shows its source.
 */
export function Tex({ source, display }: { source: string; display: boolean }) {
  const host = useRef<HTMLSpanElement>(null)
  const [state, setState] = useState<{ source: string; problem: string | null } | null>(null)
  const problem = state?.source === source ? state.problem : null

  useEffect(() => {
    const element = host.current
    if (!element) return
    let cancelled = false
    const draw = async (): Promise<void> => {
      const katex = await loadKatex()
      if (cancelled) return
      try {
        if (source.length > maxLength) throw new Error(`The formula has more than ${maxLength} characters.`)
        katex.render(source, element, {
          displayMode: display,
          throwOnError: true,
          trust: false,
          maxSize: 20,
          strict: 'ignore',
        })
        setState({ source, problem: null })
      } catch (error) {
        element.textContent = source
        setState({ source, problem: error instanceof Error ? error.message : String(error) })
      }
    }
    element.textContent = source
    const stop = drawWhenNear(element, () => {
      draw().catch((error: unknown) => logError('A formula could not be drawn', error))
    })
    return () => {
      cancelled = true
      stop()
    }
  }, [source, display])

  return (
    <span
      className={`markdown-tex ${display ? 'markdown-tex-display' : ''} ${problem === null ? '' : 'markdown-tex-broken'}`}
      title={problem ?? undefined}
      tabIndex={display ? 0 : undefined}
      role={display ? 'group' : undefined}
      aria-label={display ? 'Formula' : undefined}
    >
      {/* KaTeX replaces this element's children, so React must not. */}
      <span ref={host} />
    </span>
  )
}

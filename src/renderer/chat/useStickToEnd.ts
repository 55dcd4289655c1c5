import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'

/** Pixels from the end that still count as being there. */
const near = 32
/** Milliseconds after a wheel, key or touch in which scrolling is the user's. */
const inputLasts = 400

/**
 * Keeps a scrolling element at its end while its content grows, until the user scrolls away; being at the end again takes
 * it up again. The position also moves by itself (content shrinks for a moment, the view gets smaller), so only
 * movement that follows the user's input counts as theirs.
 * @returns whether the end is in sight, and how to go there.
 */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): { atEnd: boolean; toEnd: () => void } {
  const sticking = useRef(true)
  const [atEnd, setAtEnd] = useState(true)

  const toEnd = useCallback(() => {
    sticking.current = true
    setAtEnd(true)
    const element = scroller.current
    element?.scrollTo(0, element.scrollHeight)
  }, [scroller])

  useEffect(() => {
    const element = scroller.current
    const inner = content.current
    if (!element || !inner) return
    let inputAt = Number.NEGATIVE_INFINITY
    let pointerDown = false

    const isNear = () => element.scrollHeight - element.clientHeight - element.scrollTop <= near
    const show = () => setAtEnd(sticking.current || isNear())
    const onScroll = () => {
      if (isNear()) sticking.current = true
      else if (pointerDown || performance.now() - inputAt < inputLasts) sticking.current = false
      show()
    }
    const onInput = () => {
      inputAt = performance.now()
    }
    const onPointerDown = () => {
      pointerDown = true
      // Whoever does something further up wants to stay there.
      if (!isNear()) sticking.current = false
    }
    const onPointerUp = () => {
      pointerDown = false
    }
    const observer = new ResizeObserver(() => {
      if (sticking.current) element.scrollTo(0, element.scrollHeight)
      show()
    })

    observer.observe(inner)
    observer.observe(element)
    const stop = new AbortController()
    const passive = { passive: true, signal: stop.signal }
    element.addEventListener('scroll', onScroll, passive)
    for (const name of ['wheel', 'touchmove', 'keydown']) element.addEventListener(name, onInput, passive)
    element.addEventListener('pointerdown', onPointerDown, passive)
    for (const name of ['pointerup', 'pointercancel']) addEventListener(name, onPointerUp, passive)
    return () => {
      observer.disconnect()
      stop.abort()
    }
  }, [scroller, content])

  return { atEnd, toEnd }
}

import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'

/** Maximum distance from the end, in pixels, that still counts as the end. */
const endTolerance = 32
/** Milliseconds after wheel, key or touch input during which scrolling is attributed to the user. */
const userScrollWindow = 400

/**
 * Keeps an element scrolled to its end while its content grows. Stops when the user scrolls away, and resumes when the
 * user returns to the end. Layout changes also move the scroll position, so only scrolling after user input stops it.
 * @param state `partial`: the last row is not the end of the content. `empty`: there is no content, so show the start
 * of its placeholder.
 * @returns whether the end is visible, and a function that scrolls to it
 */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  state: 'complete' | 'partial' | 'empty',
): { atEnd: boolean; toEnd: () => void } {
  const sticking = useRef(true)
  const [atEnd, setAtEnd] = useState(true)
  const latest = useRef(state)
  latest.current = state

  const toEnd = useCallback(() => {
    sticking.current = true
    setAtEnd(true)
    const element = scroller.current
    if (latest.current !== 'empty') element?.scrollTo(0, element.scrollHeight)
  }, [scroller])

  useEffect(() => {
    const element = scroller.current
    const inner = content.current
    if (!element || !inner) return
    let inputAt = Number.NEGATIVE_INFINITY
    let pointerDown = false

    const isNear = () =>
      latest.current === 'empty' ||
      (latest.current === 'complete' && element.scrollHeight - element.clientHeight - element.scrollTop <= endTolerance)
    const show = () => setAtEnd(sticking.current || isNear())
    const onScroll = () => {
      if (isNear()) sticking.current = true
      else if (pointerDown || performance.now() - inputAt < userScrollWindow) sticking.current = false
      show()
    }
    const onInput = () => {
      inputAt = performance.now()
    }
    const onPointerDown = () => {
      pointerDown = true
      // A click above the end means that the user is reading there.
      if (!isNear()) sticking.current = false
    }
    const onPointerUp = () => {
      pointerDown = false
    }
    const observer = new ResizeObserver(() => {
      if (sticking.current && latest.current !== 'empty') element.scrollTo(0, element.scrollHeight)
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

import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'

/** Pixels from the end that still count as being there. */
const near = 32

/**
 * Keeps a scrolling element at its end while its content grows, until the user scrolls away; being at the end again takes
 * it up again.
 * @returns whether the end is in sight, and how to go there.
 */
export function useStickToEnd(scroller: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>): { atEnd: boolean; toEnd: () => void } {
  const sticking = useRef(true)
  const lastTop = useRef(0)
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
    const onScroll = () => {
      const distance = element.scrollHeight - element.clientHeight - element.scrollTop
      // Only the user moves up; content that grows leaves the position as it is.
      if (distance <= near) sticking.current = true
      else if (element.scrollTop < lastTop.current - 1) sticking.current = false
      lastTop.current = element.scrollTop
      setAtEnd(sticking.current)
    }
    const observer = new ResizeObserver(() => {
      if (sticking.current) element.scrollTo(0, element.scrollHeight)
      else onScroll()
    })
    observer.observe(inner)
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [scroller, content])

  return { atEnd, toEnd }
}

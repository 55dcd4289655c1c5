import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { isTyping } from './enterGuard.ts'

/** Where the focus is: on the card or its main button; in the edited command; on another part of it; or somewhere else. */
export type CardFocus = 'card' | 'edit' | 'part' | 'outside'

function focusOf(card: HTMLElement | null): CardFocus {
  const { activeElement } = document
  if (!card?.contains(activeElement)) return 'outside'
  if (activeElement?.matches('.approval-edit')) return 'edit'
  return activeElement === card || activeElement?.matches('.approval-allow') ? 'card' : 'part'
}

/** Takes the focus for a new request, unless the user is writing; tells when the card goes with the focus inside. */
export function useCardFocus(
  card: RefObject<HTMLElement | null>,
  requestId: string,
  onFocusLost?: () => void,
): CardFocus {
  const [focus, setFocus] = useState<CardFocus>('outside')
  const lost = useRef(onFocusLost)
  lost.current = onFocusLost
  useLayoutEffect(() => {
    const element = card.current
    if (!isTyping() || element?.contains(document.activeElement)) element?.focus({ preventScroll: true })
    setFocus(focusOf(element))
  }, [card, requestId])
  useEffect(() => {
    const look = () => setFocus(focusOf(card.current))
    // A focus that goes nowhere else is told by its leaving only, after which the focus is known.
    const left = () => queueMicrotask(look)
    document.addEventListener('focusin', look)
    document.addEventListener('focusout', left)
    return () => {
      document.removeEventListener('focusin', look)
      document.removeEventListener('focusout', left)
    }
  }, [card])
  // A layout effect: its clean-up runs while the card and the focus in it are still there.
  useLayoutEffect(() => {
    const element = card.current
    return () => {
      if (element?.contains(document.activeElement)) lost.current?.()
    }
  }, [card])
  return focus
}

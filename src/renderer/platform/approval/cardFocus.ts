import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { isTyping } from './enterGuard.ts'

/**
 * Location of the focus. `card`: the card or its main button. `edit`: the edited command. `control`: another control of
 * the card.
 */
export type CardFocus = 'card' | 'edit' | 'control' | 'outside'

function focusOf(card: HTMLElement | null): CardFocus {
  const { activeElement } = document
  if (!card?.contains(activeElement)) return 'outside'
  if (activeElement?.matches('.approval-edit')) return 'edit'
  return activeElement === card || activeElement?.matches('.approval-allow') ? 'card' : 'control'
}

/**
 * Focuses the card for a new request, unless the user is typing, and tracks the focus.
 * @param onFocusLost called if the card is removed while it has the focus
 */
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
    const update = () => setFocus(focusOf(card.current))
    // If no element receives the focus, only `focusout` fires, and `activeElement` changes afterwards.
    const updateLater = () => queueMicrotask(update)
    document.addEventListener('focusin', update)
    document.addEventListener('focusout', updateLater)
    return () => {
      document.removeEventListener('focusin', update)
      document.removeEventListener('focusout', updateLater)
    }
  }, [card])
  // The cleanup of a layout effect runs while the card is still in the document.
  useLayoutEffect(() => {
    const element = card.current
    return () => {
      if (element?.contains(document.activeElement)) lost.current?.()
    }
  }, [card])
  return focus
}

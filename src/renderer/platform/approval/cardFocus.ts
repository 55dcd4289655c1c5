import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { isTyping } from './enterGuard.ts'

/** `card`: the card or its main button. `edit`: the edited command. `part`: another control in the card. */
export type CardFocus = 'card' | 'edit' | 'part' | 'outside'

function focusOf(card: HTMLElement | null): CardFocus {
  const { activeElement } = document
  if (!card?.contains(activeElement)) return 'outside'
  if (activeElement?.matches('.approval-edit')) return 'edit'
  return activeElement === card || activeElement?.matches('.approval-allow') ? 'card' : 'part'
}

/** Focuses the card for a new request, unless the user is typing. @param onFocusLost called if the card is removed with the focus inside */
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
    // If no other element receives the focus, only focusout fires, before activeElement changes.
    const lookLater = () => queueMicrotask(look)
    document.addEventListener('focusin', look)
    document.addEventListener('focusout', lookLater)
    return () => {
      document.removeEventListener('focusin', look)
      document.removeEventListener('focusout', lookLater)
    }
  }, [card])
  // A layout effect, because its cleanup runs while the card is still in the document.
  useLayoutEffect(() => {
    const element = card.current
    return () => {
      if (element?.contains(document.activeElement)) lost.current?.()
    }
  }, [card])
  return focus
}

import { useCallback, useEffect, useState } from 'react'

/**
 * Milliseconds in which a card that has just appeared takes no answer: a key or click meant for what stood there before
 * must not approve anything.
 */
export const guardMilliseconds = 500

/** Whether the card of this request may be answered by now. A new request starts anew. */
export function useArmed(requestId: string): boolean {
  const [armedFor, setArmedFor] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setArmedFor(requestId), guardMilliseconds)
    return () => clearTimeout(timer)
  }, [requestId])
  return armedFor === requestId
}

/** Whether Enter is held down, and the latest press of it: repeats are not presses. */
const enterKey: { held: boolean; press: KeyboardEvent | null } = { held: false, press: null }

function followEnter(): () => void {
  const down = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    enterKey.press = enterKey.held || event.repeat ? null : event
    enterKey.held = true
  }
  const up = (event: KeyboardEvent) => {
    if (event.key === 'Enter') enterKey.held = false
  }
  // A release outside the window is not seen.
  const left = () => {
    enterKey.held = false
  }
  addEventListener('keydown', down, true)
  addEventListener('keyup', up, true)
  addEventListener('blur', left)
  return () => {
    removeEventListener('keydown', down, true)
    removeEventListener('keyup', up, true)
    removeEventListener('blur', left)
  }
}

/** From the start of the page: a key may be held when the first card appears. */
followEnter()

interface EnterGuard {
  /** The card of this request has had the focus for `guardTime`. */
  ready: boolean
  /** Whether a press of Enter is an answer to this card: it has had the focus long enough, and the key was released before. */
  counts(event: KeyboardEvent): boolean
}

/** @param focused the focus is in the card; every time it comes the wait begins anew */
export function useEnterGuard(focused: boolean, requestId: string): EnterGuard {
  const [readyFor, setReadyFor] = useState<string | null>(null)
  useEffect(() => {
    setReadyFor(null)
    if (!focused) return undefined
    const timer = setTimeout(() => setReadyFor(requestId), guardMilliseconds)
    return () => clearTimeout(timer)
  }, [focused, requestId])
  const ready = focused && readyFor === requestId
  return { ready, counts: useCallback((event: KeyboardEvent) => ready && enterKey.press === event, [ready]) }
}

/** Whether the user is writing somewhere (a message, the editor, a field, a terminal), so that the focus must stay there. */
export function isTyping(focused: Element | null = document.activeElement): boolean {
  if (!(focused instanceof HTMLElement)) return false
  // Just after sending, the focus is in the emptied composer: nothing is being written that Enter could cut short.
  if (focused.matches('textarea.composer-text') && focused instanceof HTMLTextAreaElement && focused.value === '')
    return false
  if (focused.isContentEditable || focused.closest('.monaco-editor, .xterm')) return true
  return focused.matches('textarea, select, input:not([type=button], [type=checkbox], [type=radio])')
}

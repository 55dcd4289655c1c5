import { useCallback, useEffect, useState } from 'react'

/**
 * Milliseconds for which a new card ignores answers, so that a key press or click meant for something else cannot approve a
 * call.
 */
export const guardMilliseconds = 500

/** Whether the card accepts answers. Restarts for each request. */
export function useArmed(requestId: string): boolean {
  const [armedFor, setArmedFor] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setArmedFor(requestId), guardMilliseconds)
    return () => clearTimeout(timer)
  }, [requestId])
  return armedFor === requestId
}

/** Whether Enter is held down, and its latest press. Key repeats do not count as presses. */
const enterKey: { held: boolean; press: KeyboardEvent | null } = { held: false, press: null }

function trackEnterKey(): () => void {
  const down = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    enterKey.press = enterKey.held || event.repeat ? null : event
    enterKey.held = true
  }
  const up = (event: KeyboardEvent) => {
    if (event.key === 'Enter') enterKey.held = false
  }
  // The window receives no keyup for a key released elsewhere.
  const reset = () => {
    enterKey.held = false
  }
  addEventListener('keydown', down, true)
  addEventListener('keyup', up, true)
  addEventListener('blur', reset)
  return () => {
    removeEventListener('keydown', down, true)
    removeEventListener('keyup', up, true)
    removeEventListener('blur', reset)
  }
}

// Track from page load, because Enter may be held down when the first card appears.
trackEnterKey()

interface EnterGuard {
  /** The card has had the focus for `guardMilliseconds`. */
  ready: boolean
  /** Whether an Enter press answers this card: the card is `ready`, and the press is not a repeat. */
  counts(event: KeyboardEvent): boolean
}

/** @param focused whether the focus is in the card. The delay restarts each time the card receives the focus. */
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

/** Whether the user is typing in a message, the editor, a field or a terminal, so that the focus must not move. */
export function isTyping(focused: Element | null = document.activeElement): boolean {
  if (!(focused instanceof HTMLElement)) return false
  // After a message was sent, the focus is in the empty composer.
  if (focused.matches('textarea.composer-text') && focused instanceof HTMLTextAreaElement && focused.value === '')
    return false
  if (focused.isContentEditable || focused.closest('.monaco-editor, .xterm')) return true
  return focused.matches('textarea, select, input:not([type=button], [type=checkbox], [type=radio])')
}

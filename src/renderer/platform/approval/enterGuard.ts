import { useCallback, useEffect, useState } from 'react'

/**
 * Milliseconds for which a new card ignores input, so that a key or click meant for something else cannot approve a
 * call.
 */
export const guardMilliseconds = 500

/** Whether the card accepts input: `guardMilliseconds` after it shows the request. */
export function useAcceptsInput(requestId: string): boolean {
  const [armedFor, setArmedFor] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setArmedFor(requestId), guardMilliseconds)
    return () => clearTimeout(timer)
  }, [requestId])
  return armedFor === requestId
}

/** State of the Enter key. `press` is the event of the latest press; null for key repeats. */
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
  // The page receives no keyup if the user releases the key in another window.
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

// Track from the start, because the user can hold Enter down when the first card appears.
trackEnterKey()

interface EnterGuard {
  /** Whether the card has had the focus for `guardMilliseconds`. */
  ready: boolean
  /** Whether an Enter press may answer the card: the card is `ready`, and the press is not a key repeat. */
  counts(event: KeyboardEvent): boolean
}

/**
 * Decides which Enter presses may answer a card.
 * @param focused whether the card has the focus; a change restarts the delay
 */
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

/** Whether to leave the focus alone, because the user is typing in a message, the editor, a field or a terminal. */
export function isTyping(): boolean {
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement)) return false
  // After sending a message, the focus is in the empty composer.
  if (focused.matches('textarea.composer-text') && focused instanceof HTMLTextAreaElement && focused.value === '')
    return false
  if (focused.isContentEditable || focused.closest('.monaco-editor, .xterm')) return true
  return focused.matches('textarea, select, input:not([type=button], [type=checkbox], [type=radio])')
}

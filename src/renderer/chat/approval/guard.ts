import { useEffect, useState } from 'react'

/**
 * Milliseconds in which a card that has just appeared takes no answer: a key or click meant for what stood there before
 * must not approve anything.
 */
export const guardTime = 300

/** Whether the card of this request may be answered by now. A new request starts anew. */
export function useArmed(requestId: string): boolean {
  const [armedFor, setArmedFor] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setArmedFor(requestId), guardTime)
    return () => clearTimeout(timer)
  }, [requestId])
  return armedFor === requestId
}

/** Whether the user is writing somewhere (a message, the editor, a field, a terminal), so that the focus must stay there. */
export function isTyping(focused: Element | null = document.activeElement): boolean {
  if (!(focused instanceof HTMLElement)) return false
  // Just after sending, the focus is in the emptied composer: nothing is being written that Enter could cut short.
  if (focused.matches('textarea.composer-text') && focused instanceof HTMLTextAreaElement && focused.value === '') return false
  if (focused.isContentEditable || focused.closest('.monaco-editor, .xterm')) return true
  return focused.matches('textarea, select, input:not([type=button], [type=checkbox], [type=radio])')
}

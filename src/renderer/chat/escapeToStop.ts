import { useChat } from '../platform/conversation/chatStore.ts'
import { stop } from './chatActions.ts'
import { useChatView } from './chatViewStore.ts'

/** Milliseconds within which the second press of Escape stops the turn. */
const secondPressMs = 2000

let timer: ReturnType<typeof setTimeout> | undefined

/** The first Escape shows a hint, the second one stops the running turn, so that no turn stops by mistake. */
export function pressEscape(): void {
  const { stopArmed } = useChatView.getState()
  clearTimeout(timer)
  useChatView.setState({ stopArmed: !stopArmed })
  if (stopArmed) stop()
  else timer = setTimeout(() => useChatView.setState({ stopArmed: false }), secondPressMs)
}

/**
 * Whether an Escape in the chat panel is for the turn: a turn runs, nothing else has handled the key, and it is in no
 * field that Escape closes.
 */
export function isEscapeForTurn(event: KeyboardEvent): boolean {
  const { key, defaultPrevented, isComposing, repeat, target } = event
  if (key !== 'Escape' || defaultPrevented || isComposing || repeat || !useChat.getState().running) return false
  const field =
    target instanceof Element ? target.closest('input, textarea, select, .xterm, [role="menu"], dialog') : null
  return field === null || field.matches('.composer-text')
}

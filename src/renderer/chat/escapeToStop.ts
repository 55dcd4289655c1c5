import { useChat } from '../platform/conversation/chatStore.ts'
import { stop } from './chatActions.ts'
import { useChatView } from './chatViewStore.ts'
import { Delayer } from '../../shared/async/delayer.ts'

/** Maximum milliseconds between the two presses of Escape that stop the turn. */
const secondPressMs = 2000

const disarming = new Delayer(() => useChatView.setState({ stopArmed: false }), secondPressMs)

/** Shows a hint on the first Escape and stops the turn on the second, so that nobody stops a turn by mistake. */
export function pressEscape(): void {
  const { stopArmed } = useChatView.getState()
  disarming.cancel()
  useChatView.setState({ stopArmed: !stopArmed })
  if (stopArmed) stop()
  else disarming.start()
}

/**
 * Whether an Escape in the chat panel is meant for the turn: a turn is running, nothing else has handled the key, and
 * the key does not close the focused field.
 */
export function isEscapeForTurn(event: KeyboardEvent): boolean {
  const { key, defaultPrevented, isComposing, repeat, target } = event
  if (key !== 'Escape' || defaultPrevented || isComposing || repeat || !useChat.getState().running) return false
  const field =
    target instanceof Element ? target.closest('input, textarea, select, .xterm, [role="menu"], dialog') : null
  return field === null || field.matches('.composer-text')
}

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ConversationInfo } from '../../shared/agent/conversation.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { useChatView } from './chatViewStore.ts'
import { isEscapeForTurn, pressEscape } from './escapeToStop.ts'

let main: TestMain
const stops = () => main.requests.filter(({ method }) => method === 'conversations.stop').length
beforeEach(() => {
  vi.useFakeTimers()
  main = testMain()
  useChat.setState({ running: true, info: { id: 'c' } as ConversationInfo })
})
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
  useChat.setState({ running: false, info: null })
  document.body.replaceChildren()
})

it('the second Escape stops the turn, the first one shows a hint for a moment', () => {
  pressEscape()
  expect([useChatView.getState().stopArmed, stops()]).toEqual([true, 0])
  vi.runAllTimers()
  pressEscape()
  expect([useChatView.getState().stopArmed, stops()]).toEqual([true, 0])
  pressEscape()
  expect([useChatView.getState().stopArmed, stops()]).toEqual([false, 1])
})

it('an Escape that closes something else, or of no turn, is not for the turn', () => {
  document.body.innerHTML = '<textarea class="composer-text"></textarea><input><button></button>'
  const escape = (selector: string, options: KeyboardEventInit = {}) => {
    const event = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true, ...options })
    document.querySelector(selector)?.dispatchEvent(event)
    return isEscapeForTurn(event)
  }
  expect(['textarea', 'button', 'input'].map((selector) => escape(selector))).toEqual([true, true, false])
  expect(escape('textarea', { isComposing: true })).toBe(false)
  expect(escape('textarea', { key: 'a' })).toBe(false)
  document.querySelector('button')?.addEventListener('keydown', (event) => event.preventDefault())
  expect(escape('button')).toBe(false)
  useChat.setState({ running: false })
  expect(escape('textarea')).toBe(false)
})

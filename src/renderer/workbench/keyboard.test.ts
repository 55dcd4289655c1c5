import { afterEach, expect, it } from 'vitest'
import { belongsToTerminal } from './keyboard.ts'

afterEach(() => document.body.replaceChildren())

function pressOver(live: boolean, press: KeyboardEventInit = { key: 'p', ctrlKey: true }): KeyboardEvent {
  document.body.innerHTML = `<div data-live="${live}"><div class="xterm"><textarea></textarea></div></div>`
  const event = new KeyboardEvent('keydown', { ...press, bubbles: true })
  document.querySelector('textarea')?.dispatchEvent(event)
  return event
}

it('a live terminal keeps Ctrl and a letter, and Alt and an arrow, for its program', () => {
  expect(belongsToTerminal(pressOver(true))).toBe(true)
  // Its shell moves by words with them.
  expect(belongsToTerminal(pressOver(true, { key: 'ArrowLeft', altKey: true }))).toBe(true)
  expect(belongsToTerminal(pressOver(true, { key: 'F12' }))).toBe(false)
})

it('the output of a finished command does not swallow shortcuts', () => {
  expect(belongsToTerminal(pressOver(false))).toBe(false)
})

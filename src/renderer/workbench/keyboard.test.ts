import { afterEach, expect, it } from 'vitest'
import { belongsToTerminal } from './keyboard.ts'

afterEach(() => document.body.replaceChildren())

function ctrlPOver(live: boolean): KeyboardEvent {
  document.body.innerHTML = `<div data-live="${live}"><div class="xterm"><textarea></textarea></div></div>`
  const event = new KeyboardEvent('keydown', { key: 'p', ctrlKey: true, bubbles: true })
  document.querySelector('textarea')?.dispatchEvent(event)
  return event
}

it('a live terminal keeps Ctrl and a letter for its program', () => {
  expect(belongsToTerminal(ctrlPOver(true))).toBe(true)
})

it('the output of a finished command does not swallow shortcuts', () => {
  expect(belongsToTerminal(ctrlPOver(false))).toBe(false)
})

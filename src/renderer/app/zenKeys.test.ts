import { afterEach, beforeEach, expect, it } from 'vitest'
import { defaultLayout, toggleZenMode, useLayout } from '../platform/layout/layoutStore.ts'
import { followZenKeys } from './zenKeys.ts'

let stop = (): void => {}
beforeEach(() => {
  useLayout.setState(defaultLayout)
  toggleZenMode()
  stop = followZenKeys()
})
afterEach(() => {
  stop()
  useLayout.setState(defaultLayout)
})

const isZen = () => useLayout.getState().zen !== null
const press = (key: string, init: KeyboardEventInit = {}) =>
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }))

it('Escape twice ends zen mode, and does not start it', () => {
  press('Escape')
  expect(isZen()).toBe(true)
  press('Escape')
  expect(isZen()).toBe(false)
  press('Escape')
  press('Escape')
  expect(isZen()).toBe(false)
})

it('presses that close something, repeated ones, and other keys between do not count', () => {
  const closes = (event: Event) => event.preventDefault()
  document.body.addEventListener('keydown', closes)
  press('Escape')
  document.body.removeEventListener('keydown', closes)
  press('Escape')
  press('Escape', { repeat: true })
  press('Escape')
  press('x')
  press('Escape')
  expect(isZen()).toBe(true)
})

import { afterEach, expect, test, vi } from 'vitest'
import { ignoreCompositionKeys } from './compositionKeys.ts'

let stop = (): void => undefined
afterEach(() => {
  stop()
  document.body.replaceChildren()
})

/** Presses Enter in a field. @returns whether a handler of the page received it */
function enterReaches(field: Element, isComposing: boolean, keyCode = 13): boolean {
  const handler = vi.fn<() => void>()
  document.body.addEventListener('keydown', handler)
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing, keyCode, bubbles: true }))
  document.body.removeEventListener('keydown', handler)
  return handler.mock.calls.length > 0
}

test('a key that belongs to a composition reaches no handler, and any other key does', () => {
  document.body.innerHTML = '<input>'
  const field = document.body.querySelector('input') ?? expect.unreachable()
  stop = ignoreCompositionKeys()
  expect([enterReaches(field, true), enterReaches(field, false)]).toEqual([false, true])
  // The key that ends a composition, after it has ended.
  expect(enterReaches(field, false, 229)).toBe(false)
})

test.each([
  '<div class="monaco-editor"><textarea class="inputarea"></textarea></div>',
  '<textarea class="xterm-helper-textarea"></textarea>',
])('editors and terminals handle compositions themselves: %s', (html) => {
  document.body.innerHTML = html
  const field = document.body.querySelector('textarea') ?? expect.unreachable()
  stop = ignoreCompositionKeys()
  expect(enterReaches(field, true)).toBe(true)
})

import { expect, it } from 'vitest'
import { withHookText } from './callHooks.ts'

it.each([
  ['an object', '{"a": 1}', { a: 1, text_of_hooks: 'Lint: 0 errors.' }],
  ['a list', '[1, 2]', { result: [1, 2], text_of_hooks: 'Lint: 0 errors.' }],
  ['a number', '1', { result: 1, text_of_hooks: 'Lint: 0 errors.' }],
])('text of a hook is added to %s in JSON', (_, text, expected) => {
  expect(JSON.parse(withHookText({ text, format: 'json' }, ['Lint: 0 errors.']))).toEqual(expected)
  expect(withHookText({ text, format: 'json' }, [])).toBe(text)
})

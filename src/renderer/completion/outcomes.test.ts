import { expect, test, vi } from 'vitest'
import { keptLength } from './outcomes.ts'

vi.mock('../platform/editor/monaco.ts', () => ({ monaco: {} }))

test('kept characters are those that are the same at both ends', () => {
  expect(keptLength('return a + b', 'return a + b')).toBe(12)
  expect(keptLength('return a + b', 'return a - b')).toBe(11)
  expect(keptLength('return a + b', '')).toBe(0)
  expect(keptLength('aa', 'a')).toBe(1)
})

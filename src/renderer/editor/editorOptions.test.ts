import { expect, it } from 'vitest'
import { suggestionDelay } from './editorOptions.ts'

it('suggestions in a long text wait longer than a fast typist between two keys', () => {
  expect(suggestionDelay(5_000)).toBeLessThan(50)
  expect(suggestionDelay(300_000)).toBeGreaterThan(100)
})

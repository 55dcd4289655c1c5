import { expect, it } from 'vitest'
import { suggestionDelay } from './editorOptions.ts'

it('suggestions in a long text wait until the next key of a fast typist would have come', () => {
  expect(suggestionDelay(5_000)).toBeLessThan(50)
  expect(suggestionDelay(300_000)).toBeGreaterThan(100)
})

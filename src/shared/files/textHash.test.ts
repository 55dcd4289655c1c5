import { expect, it } from 'vitest'
import { textHash } from './textHash.ts'

it('differs for texts that differ in one character, its place or the length', () => {
  const texts = ['', 'a', 'b', 'ab', 'ba', 'aab', 'é', 'e', '\n', '😀', '😁', 'x'.repeat(1000), `${'x'.repeat(999)}y`]
  expect(new Set(texts.map(textHash)).size).toBe(texts.length)
  expect(textHash('same')).toBe(textHash('same'))
})

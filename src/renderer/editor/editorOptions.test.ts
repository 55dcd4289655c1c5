import { expect, it } from 'vitest'
import { editorFonts, lineNumberWidth, matchBrackets, suggestionDelay } from './editorOptions.ts'

it('suggestions in a long text wait longer than a fast typist between two keys', () => {
  expect(suggestionDelay(5_000)).toBeLessThan(50)
  expect(suggestionDelay(300_000)).toBeGreaterThan(100)
})

it('brackets around the cursor are not searched after each key in a text that is too long for a tree of them', () => {
  expect(matchBrackets(5_000_000)).toBe('always')
  expect(matchBrackets(5_000_001)).toBe('near')
})

it('the font of the user comes before the default one, which shows what it lacks', () => {
  expect(editorFonts('Fira Code')).toBe("Fira Code, 'JetBrains Mono Variable', ui-monospace, monospace")
  expect(editorFonts('  ')).toBe("'JetBrains Mono Variable', ui-monospace, monospace")
  expect(editorFonts('x; } body { display: none')).not.toMatch(/[;{}]/)
})

it('line numbers of a million lines leave space before them', () => {
  expect([1, 999, 1000, 123_456, 1_000_000].map(lineNumberWidth)).toEqual([4, 4, 5, 7, 8])
})

import { expect, it } from 'vitest'
import { editorFonts, suggestionDelay } from './editorOptions.ts'

it('suggestions in a long text wait longer than a fast typist between two keys', () => {
  expect(suggestionDelay(5_000)).toBeLessThan(50)
  expect(suggestionDelay(300_000)).toBeGreaterThan(100)
})

it('the font of the user comes before the default one, which shows what it lacks', () => {
  expect(editorFonts('Fira Code')).toBe("Fira Code, 'JetBrains Mono Variable', ui-monospace, monospace")
  expect(editorFonts('  ')).toBe("'JetBrains Mono Variable', ui-monospace, monospace")
  expect(editorFonts('x; } body { display: none')).not.toMatch(/[;{}]/)
})

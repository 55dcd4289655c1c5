import { expect, it } from 'vitest'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import {
  editorFonts,
  editorOptions,
  lineNumberWidth,
  matchBrackets,
  normalFileOptions,
  suggestionDelay,
} from './editorOptions.ts'

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

it.each([
  ['lineNumbers', 'relative'],
  ['renderWhitespace', 'all'],
  ['cursorStyle', 'block'],
  ['cursorBlinking', 'solid'],
  ['smoothScrolling', true],
  ['scrollBeyondLastLine', true],
  ['autoClosingBrackets', 'never'],
  ['acceptSuggestionOnEnter', 'off'],
  ['letterSpacing', 1.5],
  ['lineHeight', 30],
  ['linkedEditing', true],
  ['autoClosingQuotes', 'never'],
  ['cursorSurroundingLines', 5],
  ['cursorSmoothCaretAnimation', 'on'],
  ['fontWeight', '600'],
  ['multiCursorModifier', 'ctrlCmd'],
  ['renderLineHighlight', 'gutter'],
  ['suggestSelection', 'recentlyUsed'],
  ['tabCompletion', 'on'],
] as const)('the setting %s reaches the editor under the name of VS Code', (name, value) => {
  const { editor } = settingsSchema.parse({})
  expect(editorOptions(editor)[name]).not.toBe(value)
  expect(editorOptions({ ...editor, [name]: value })[name]).toBe(value)
})

it('a line is 1.6 times as high as its font unless the settings say otherwise', () => {
  expect(editorOptions({ ...settingsSchema.parse({}).editor, fontSize: 20 }).lineHeight).toBe(32)
})

it('long lines wrap at the column of the settings, and suggestions come where the settings say', () => {
  const { editor } = settingsSchema.parse({})
  const wrapped = editorOptions({ ...editor, wordWrap: true, wordWrapColumn: 100, bracketPairGuides: 'active' })
  expect(wrapped).toMatchObject({ wordWrap: 'bounded', wordWrapColumn: 100, guides: { bracketPairs: 'active' } })
  expect(editorOptions({ ...editor, wordWrap: true }).wordWrap).toBe('on')
  expect(normalFileOptions({ ...editor, quickSuggestions: 'off', folding: false })).toMatchObject({
    quickSuggestions: false,
    folding: false,
  })
  expect(normalFileOptions({ ...editor, quickSuggestions: 'everywhere' }).quickSuggestions).toMatchObject({
    strings: true,
  })
  expect(normalFileOptions(editor, 'json').quickSuggestions).toMatchObject({ comments: false, strings: true })
  expect(normalFileOptions(editor, 'python').quickSuggestions).toMatchObject({ comments: false, strings: false })
})

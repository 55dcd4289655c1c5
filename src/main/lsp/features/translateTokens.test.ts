import { expect, it } from 'vitest'
import { semanticTokenModifiers, semanticTokenTypes } from '../../../shared/language/languageServers.ts'
import { createPositionCodec, LineText } from '../lineText.ts'
import { translateTokens } from './translateTokens.ts'

const type = (name: (typeof semanticTokenTypes)[number]): number => semanticTokenTypes.indexOf(name)
const modifier = (name: (typeof semanticTokenModifiers)[number]): number => 1 << semanticTokenModifiers.indexOf(name)

/** Translates the tokens of a server whose legend has other numbers, and a type that the window does not know. */
function translate(text: string, data: number[], encoding: 'utf-8' | 'utf-16' = 'utf-16'): number[] {
  const legend = { tokenTypes: ['variable', 'lifetime', 'class'], tokenModifiers: ['async', 'unsafe', 'readonly'] }
  return translateTokens({ lines: new LineText(text), codec: createPositionCodec(encoding) }, data, legend)
}

it('translates the numbers of types and modifiers, and measures from the last token that is left', () => {
  const data = [0, 4, 1, 0, 0b101, 0, 4, 1, 1, 0, 0, 4, 2, 2, 0b010, 2, 1, 1, 0, 0]
  expect(translate('let a = b + cd\n\n x', data)).toEqual(
    [
      [0, 4, 1, type('variable'), modifier('async') | modifier('readonly')],
      [0, 8, 2, type('class'), 0],
      [2, 1, 1, type('variable'), 0],
    ].flat(),
  )
})

it('converts columns of servers that count bytes', () => {
  // Each of the two characters before it has two units more in UTF-8 than in UTF-16.
  expect(translate('"ä😀" é = 1', [0, 9, 2, 0, 0], 'utf-8')).toEqual([0, 6, 1, type('variable'), 0])
})

it('leaves out what is beyond the text, and numbers that no position has', () => {
  const beyond = [0, 1, 5, 0, 0, 0, 9, 5, 0, 0, 3, 0, 1, 0, 0]
  expect(translate('abc\n', beyond)).toEqual([0, 1, 2, type('variable'), 0])
  expect(translate('abc', [-1, 0, 1, 0, 0, 0.5, 0, 1, 0, 0, Number.NaN, 0, 1, 0, 0, 0, 0])).toEqual([])
})

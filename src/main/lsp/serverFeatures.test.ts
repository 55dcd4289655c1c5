import { expect, it } from 'vitest'
import { featuresOf } from './serverFeatures.ts'

const legend = { tokenTypes: [], tokenModifiers: [] }

it('tells the tokens of whole files from those of ranges', () => {
  const tokens = (semanticTokensProvider?: object) => {
    const { semanticTokens, semanticTokensOfRanges } = featuresOf([
      { semanticTokensProvider: semanticTokensProvider && { legend, ...semanticTokensProvider } },
    ])
    return [semanticTokens, semanticTokensOfRanges]
  }
  expect(tokens({ full: true, range: true })).toEqual([true, true])
  expect(tokens({ full: { delta: true }, range: {} })).toEqual([true, true])
  expect(tokens({ full: true, range: false })).toEqual([true, false])
  expect(tokens({ range: true })).toEqual([false, true])
  expect(tokens()).toEqual([false, false])
})

import { expect, it } from 'vitest'
import { formatTokens } from './formatTokens.ts'

it.each([
  [512, '512'],
  [8000, '8k'],
  [32768, '32k'],
  [200_000, '200k'],
])('%i tokens are shown as %s', (tokens, text) => expect(formatTokens(tokens)).toBe(text))

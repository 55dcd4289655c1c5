import { expect, it } from 'vitest'
import { parseRulers } from './RulersField.tsx'

it('reads columns separated by commas', () => {
  expect(parseRulers('80, 120')).toEqual([80, 120])
  expect(parseRulers(' 100 ')).toEqual([100])
  expect(parseRulers('')).toEqual([])
})

it.each(['0', '80,', '80 120', 'wide', '10001', '-3', '1e3'])('refuses %j', (text) => {
  expect(parseRulers(text)).toBe(null)
})

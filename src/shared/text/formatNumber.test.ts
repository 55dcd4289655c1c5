import { expect, it } from 'vitest'
import { formatNumber } from './formatNumber.ts'

it('separates thousands and shows as many fraction digits as requested', () => {
  expect([0, 999, 1200, 1_234_567].map((value) => formatNumber(value))).toEqual(['0', '999', '1,200', '1,234,567'])
  expect([-999, -1200, 1e15, 1234.5678].map((value) => formatNumber(value))).toEqual([
    '-999',
    '-1,200',
    '1,000,000,000,000,000',
    '1,234.568',
  ])
  expect([2, 2.25, 1200.04].map((value) => formatNumber(value, 1))).toEqual(['2.0', '2.3', '1,200.0'])
})

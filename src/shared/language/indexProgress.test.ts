import { expect, test } from 'vitest'
import { withIndexProgress } from './indexProgress.ts'

test('the progress of the index has numbers as soon as the number of files is known', () => {
  expect(withIndexProgress('Building', { done: 0, total: 0 })).toBe('Building')
  expect(withIndexProgress('Building', { done: 0, total: 4000 })).toBe('Building: 0 of 4,000 files')
  expect(withIndexProgress('Building', { done: 1, total: 1 })).toBe('Building: 1 of 1 file')
})

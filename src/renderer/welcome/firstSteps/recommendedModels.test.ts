import { expect, it } from 'vitest'
import { bestFit, memoryNeeded, recommendedModels } from './recommendedModels.ts'

const gibibyte = 1024 ** 3

it.each([
  [4, 'qwen3:4b'],
  [8, 'qwen3:4b'],
  [16, 'qwen3:14b'],
  [24, 'gpt-oss:20b'],
  [64, 'qwen3-coder:30b'],
])('a machine with %i GiB gets %s recommended, which leaves memory for other programs', (memory, id) => {
  expect(bestFit(memory * gibibyte)?.id).toBe(id)
})

it('the list goes from small to large, and each model needs more memory than its download', () => {
  const sizes = recommendedModels.map(({ size }) => size)
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  expect(sizes.every((size) => memoryNeeded(size) > size)).toBe(true)
})

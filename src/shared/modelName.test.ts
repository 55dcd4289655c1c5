import { expect, test } from 'vitest'
import { isSameModel } from './modelName.ts'

test.each([
  ['smoltools', 'smoltools:latest', true],
  ['smoltools:latest', 'smoltools', true],
  ['qwen3:8b', 'qwen3:8b', true],
  ['qwen3', 'qwen3:8b', false],
  ['qwen3:8b', 'qwen3:8b:latest', true],
  ['a', 'b', false],
])('%s and %s: %s', (name, other, same) => expect(isSameModel(name, other)).toBe(same))

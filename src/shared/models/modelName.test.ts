import { expect, test } from 'vitest'
import { isSameModel, modelDisplayName } from './modelName.ts'

test.each([
  ['smoltools', 'smoltools:latest', true],
  ['smoltools:latest', 'smoltools', true],
  ['qwen3:8b', 'qwen3:8b', true],
  ['qwen3', 'qwen3:8b', false],
  ['qwen3:8b', 'qwen3:8b:latest', true],
  ['a', 'b', false],
])('%s and %s: %s', (name, other, same) => expect(isSameModel(name, other)).toBe(same))

test.each([
  ['/home/ana/models/SmolLM2-135M-Instruct.Q4_1.gguf', 'SmolLM2-135M-Instruct.Q4_1.gguf'],
  ['C:\\models\\qwen.gguf', 'qwen.gguf'],
  ['openai/gpt-oss-20b', 'openai/gpt-oss-20b'],
])('the name shown of %s is %s', (model, shown) => expect(modelDisplayName(model)).toBe(shown))

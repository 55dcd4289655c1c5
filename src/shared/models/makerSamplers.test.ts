import { expect, it } from 'vitest'
import { makerSamplers } from './makerSamplers.ts'

it.each([
  ['qwen3-coder:30b', { temperature: 0.7, repeatPenalty: 1.05 }],
  ['Qwen/Qwen3.6-27B', { temperature: 0.6, presencePenalty: 0 }],
  ['Qwen3-30B-A3B-Instruct-2507-Q4_K_M.gguf', { temperature: 0.7, topP: 0.8 }],
  ['qwen3:8b', { temperature: 0.6, topP: 0.95 }],
  ['unsloth/Qwen2.5-Coder-7B-Instruct-GGUF', { temperature: 0.7, topK: 20 }],
  ['gemma3:12b', { temperature: 1, topK: 64 }],
  ['openai/gpt-oss-20b', { temperature: 1, topP: 1 }],
  ['DeepSeek-R1-Distill-Llama-8B', { temperature: 0.6, topP: 0.95 }],
  ['mistral-small3.2:24b', { temperature: 0.15 }],
  ['Meta-Llama-3.1-8B-Instruct', { temperature: 0.6, topP: 0.9 }],
  ['SmolLM2-135M-Instruct', { temperature: 0.2, topP: 0.9 }],
])('the samplers of %s', (model, samplers) => {
  expect(makerSamplers(model)?.samplers).toMatchObject(samplers)
})

it('a distilled model has those of its maker', () => {
  for (const model of ['DeepSeek-R1-Distill-Qwen-32B', 'DeepSeek-R1-0528-Qwen3-8B'])
    expect(makerSamplers(model)?.maker).toBe('DeepSeek')
})

it.each(['my-model', 'qwen:32b', 'codellama:34b', 'llama-30b'])('%s has none', (model) => {
  expect(makerSamplers(model)).toBeUndefined()
})

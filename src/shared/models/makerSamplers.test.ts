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
  ['unsloth/Qwen3-Coder-Next-GGUF', { temperature: 1, topP: 0.95, topK: 40 }],
  ['Qwen/Qwen3.8-27B', { temperature: 1, topP: 0.95, topK: 20, minP: 0 }],
  ['qwen3-vl:8b', { temperature: 0.7, topP: 0.8, topK: 20, presencePenalty: 1.5 }],
  ['Qwen3-VL-30B-A3B-Thinking', { temperature: 0.6, topP: 0.95, presencePenalty: 0 }],
  ['mistralai/Mistral-Small-4-119B-2603', { temperature: 0.7 }],
  ['mistral-medium-3.5:128b', { temperature: 0.7 }],
  ['Ministral-3-14B-Instruct-2512', { temperature: 0.15 }],
  ['Ministral-3-8B-Reasoning-2512', { temperature: 0.7, topP: 0.95 }],
  ['glm-4.7-flash', { temperature: 1 }],
  ['zai-org/GLM-5.3-Flash', { temperature: 1, topP: 0.95 }],
  ['deepseek-ai/DeepSeek-V3.2', { temperature: 1, topP: 0.95 }],
  ['DeepSeek-V4-Flash', { temperature: 1, topP: 1 }],
  ['DeepSeek-V4-Flash-0731', { temperature: 1, topP: 0.95 }],
  ['Kimi-K2-Instruct-0905', { temperature: 0.6 }],
  ['kimi-k2.6', { temperature: 1, topP: 0.95 }],
  ['MiniMaxAI/MiniMax-M2.5', { temperature: 1, topP: 0.95, topK: 40 }],
  ['NVIDIA-Nemotron-3-Nano-30B-A3B', { temperature: 0.6, topP: 0.95 }],
  ['Nemotron-3-Super-120B-A12B', { temperature: 1, topP: 0.95 }],
])('the samplers of %s', (model, samplers) => {
  expect(makerSamplers(model)?.samplers).toMatchObject(samplers)
})

it('a model that does not think has samplers of its own', () => {
  for (const think of ['off', 'none'] as const) {
    expect(makerSamplers('qwen3:8b', think)?.samplers).toEqual({ temperature: 0.7, topP: 0.8, topK: 20, minP: 0 })
    expect(makerSamplers('kimi-k2.6', think)?.samplers).toEqual({ temperature: 0.6, topP: 0.95 })
    expect(makerSamplers('Qwen3.6-27B', think)).toBeUndefined()
    expect(makerSamplers('gemma3:12b', think)?.samplers).toMatchObject({ topK: 64 })
  }
})

it('a distilled model has those of its maker', () => {
  for (const model of ['DeepSeek-R1-Distill-Qwen-32B', 'DeepSeek-R1-0528-Qwen3-8B'])
    expect(makerSamplers(model)?.maker).toBe('DeepSeek')
})

it.each([
  'my-model',
  'qwen:32b',
  'codellama:34b',
  'llama-30b',
  'Qwen3-Embedding-0.6B',
  'qwen3-reranker:4b',
  'embeddinggemma-300m',
  'kimi-k2-thinking',
  'DeepSeek-V3.1',
  'glm-4.5-air',
  'granite4:small-h',
])('%s has none', (model) => {
  expect(makerSamplers(model)).toBeUndefined()
})

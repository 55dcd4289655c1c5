import { expect, test } from 'vitest'
import { ollamaFields, openAiFields, templateVariables } from './modelOptions.ts'

const samplers = { temperature: 0.6, topP: 0.95, topK: 20, minP: 0, presencePenalty: 1.5, repeatPenalty: 1.05 }

test('samplers have the names of each server', () => {
  const common = { temperature: 0.6, top_p: 0.95, top_k: 20, min_p: 0, presence_penalty: 1.5, repeat_penalty: 1.05 }
  expect(openAiFields(samplers, { model: 'm' })).toEqual({ ...common, repetition_penalty: 1.05 })
  expect(ollamaFields(samplers, { num_ctx: 4096 })).toEqual({ options: { num_ctx: 4096, ...common } })
})

test('the thinking budget has the names of llama-server and vLLM; Ollama has none', () => {
  expect(openAiFields({ thinkingTokens: 0 }, { model: 'm' })).toEqual({
    thinking_budget_tokens: 0,
    thinking_token_budget: 0,
  })
  expect(openAiFields({ thinkingTokens: 512, think: 'off' }, { model: 'm' })).not.toHaveProperty(
    'thinking_budget_tokens',
  )
  expect(ollamaFields({ thinkingTokens: 512 }, {})).toEqual({ options: {} })
})

test.each([
  ['Qwen/Qwen3.8-27B', 'high', 'xhigh'],
  ['Qwen/Qwen3.8-27B', 'minimal', 'low'],
  ['qwen3.8:27b', 'max', 'xhigh'],
  ['unsloth/DeepSeek-V4-Flash-GGUF', 'medium', 'high'],
  ['deepseek-v4-flash', 'xhigh', 'max'],
  ['zai-org/GLM-5.3-Flash', 'none', 'low'],
  ['zai-org/GLM-5.2', 'low', 'high'],
  ['mistralai/Mistral-Small-4-119B-2603', 'low', 'high'],
  ['openai/gpt-oss-20b', 'max', 'high'],
  ['openai/gpt-oss-20b', 'none', 'low'],
  ['my-own-model', 'xhigh', 'xhigh'],
] as const)('%s gets for the effort %s the nearest that it has, %s', (model, think, sent) => {
  expect(openAiFields({ think }, { model })).toEqual({ reasoning_effort: sent })
  expect(openAiFields({ think }, { model, server: 'sglang' })).toEqual({
    reasoning_effort: sent,
    chat_template_kwargs: { enable_thinking: true, thinking: true, reasoning_effort: sent },
  })
})

test('a model without the effort "none" is turned off by its switch', () => {
  const off = { enable_thinking: false, thinking: false }
  for (const model of ['Qwen3.8-27B', 'deepseek-v4-flash', 'Kimi-K3'])
    expect(openAiFields({ think: 'none' }, { model })).toEqual({ chat_template_kwargs: off })
  expect(openAiFields({ think: 'none' }, { model: 'm', server: 'llamacpp' })).toEqual({
    reasoning_effort: 'none',
    chat_template_kwargs: off,
  })
  expect(openAiFields({ think: 'none' }, { model: 'Mistral-Small-4', server: 'llamacpp' })).toEqual({
    reasoning_effort: 'none',
    chat_template_kwargs: { ...off, reasoning_effort: 'none' },
  })
})

test.each([
  ['mistralai/Mistral-Small-4-119B-2603', 'none', 'none'],
  ['mistralai/Mistral-Small-4-119B-2603', 'medium', 'high'],
  ['mistralai/Mistral-Small-4-119B-2603', 'off', 'none'],
  ['mistralai/Mistral-Medium-3.5-128B', 'on', 'high'],
  ['mistralai/Magistral-Small-2509', 'high', 'high'],
  ['cyankiwi/Devstral-Small-2-24B-Instruct-2512-AWQ-4bit', 'off', undefined],
  ['mistralai/Ministral-3-14B-Reasoning-2512', 'on', undefined],
] as const)('vLLM gets no options of the template for %s, whose tokenizer refuses them: %s', (model, think, sent) => {
  expect(openAiFields({ think }, { model, server: 'vllm' })).toEqual(sent ? { reasoning_effort: sent } : {})
})

test('the template of Kimi K3 has another name for the effort', () => {
  expect(openAiFields({ think: 'medium' }, { model: 'Kimi-K3', server: 'sglang' })).toEqual({
    reasoning_effort: 'high',
    chat_template_kwargs: { enable_thinking: true, thinking: true, thinking_effort: 'high' },
  })
})

test('LM Studio and the /v1 of Ollama turn thinking off by an effort', () => {
  for (const server of ['lmstudio', 'ollama'] as const)
    expect(openAiFields({ think: 'off' }, { model: 'm', server })).toEqual({ reasoning_effort: 'none' })
})

test.each(['qwen3.8-27b', 'deepseek-v4-flash', 'glm-5.2', 'kimi-k3', 'm'])(
  'LM Studio and the /v1 of Ollama turn off %s for the effort "none" too',
  (model) => {
    for (const server of ['lmstudio', 'ollama'] as const)
      expect(openAiFields({ think: 'none' }, { model, server })).toEqual({ reasoning_effort: 'none' })
  },
)

test.each([
  ['on', true],
  ['off', false],
  ['none', false],
  ['minimal', 'low'],
  ['high', 'high'],
  ['xhigh', 'max'],
] as const)('the /api/chat of Ollama gets for %s %s', (think, sent) => {
  expect(ollamaFields({ think }, {})).toEqual({ think: sent, options: {} })
})

test('a template that Tizona renders itself gets the variables of the effort', () => {
  expect(templateVariables('high', 'Qwen3.8-27B-Q4_K_M')).toEqual({
    enable_thinking: true,
    thinking: true,
    reasoning_effort: 'xhigh',
  })
  expect(templateVariables(undefined, 'm')).toBeUndefined()
})

test('an extra body wins', () => {
  expect(openAiFields({ ...samplers, extraBody: { top_k: 40 } }, { model: 'm' })).toMatchObject({ top_k: 40 })
})

import { expect, test } from 'vitest'
import { ollamaFields, openAiFields } from './modelOptions.ts'

const samplers = { temperature: 0.6, topP: 0.95, topK: 20, minP: 0, presencePenalty: 1.5, repeatPenalty: 1.05 }

test('samplers have the names of each server', () => {
  const common = { temperature: 0.6, top_p: 0.95, top_k: 20, min_p: 0, presence_penalty: 1.5, repeat_penalty: 1.05 }
  expect(openAiFields(samplers, false)).toEqual({ ...common, repetition_penalty: 1.05 })
  expect(ollamaFields(samplers, { num_ctx: 4096 })).toEqual({ options: { num_ctx: 4096, ...common } })
})

test('the thinking budget has the names of llama-server and vLLM; Ollama has none', () => {
  expect(openAiFields({ thinkingTokens: 0 }, false)).toEqual({ thinking_budget_tokens: 0, thinking_token_budget: 0 })
  expect(openAiFields({ thinkingTokens: 512, think: 'off' }, false)).not.toHaveProperty('thinking_budget_tokens')
  expect(ollamaFields({ thinkingTokens: 512 }, {})).toEqual({ options: {} })
})

test('an extra body wins', () => {
  expect(openAiFields({ ...samplers, extraBody: { top_k: 40 } }, false)).toMatchObject({ top_k: 40 })
})

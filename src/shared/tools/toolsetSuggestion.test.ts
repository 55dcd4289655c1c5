import { describe, expect, it } from 'vitest'
import { suggestToolset } from './toolsetSuggestion.ts'

describe('the toolset a model name suggests', () => {
  it.each([
    ['gpt-oss:20b', 'rusty'],
    ['openai/gpt-oss-120b', 'rusty'],
    ['gpt-5-codex', 'rusty'],
    ['codex-mini-latest', 'rusty'],
    ['claude-sonnet-4-5', 'ultrasushitron'],
    ['zai-org/GLM-4.6', 'ultrasushitron'],
    ['glm4.5-air', 'ultrasushitron'],
    ['moonshotai/Kimi-K2-Instruct', 'ultrasushitron'],
    ['kimi_k2', 'ultrasushitron'],
    ['MiniMax-M2', 'ultrasushitron'],
    ['qwen3-coder:30b', 'blade'],
    ['Qwen/Qwen2.5-Coder-32B-Instruct', 'blade'],
    ['Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf', 'blade'],
  ])('of %s is %s', (model, toolset) => {
    expect(suggestToolset(model)).toMatchObject({ toolset })
  })

  it.each([
    'llama3.1:8b',
    'qwen3:8b',
    'glm-4-9b-chat',
    'chatglm3-6b',
    'devstral',
    'deepseek-coder',
    'notclaude',
    'mistral',
    '',
  ])('is none for %s', (model) => {
    expect(suggestToolset(model)).toBeUndefined()
  })
})

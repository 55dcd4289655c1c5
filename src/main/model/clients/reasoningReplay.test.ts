import { describe, expect, test } from 'vitest'
import type { ChatMessage } from '../modelClient.ts'
import { createOllamaClient } from './ollamaClient.ts'
import { createOpenAiClient } from './openAiClient.ts'
import { reasoningReplay, templateReplay } from './reasoningReplay.ts'
import { chatRequest, modelError, collect, serve } from '../testing/modelServer.ts'

describe('reasoning within a turn', () => {
  test.each([
    'gpt-oss:20b',
    'openai/gpt-oss-120b',
    'qwen3:8b',
    'Qwen3-8B-Q4_K_M.gguf',
    'Qwen/Qwen3-30B-A3B-Thinking-2507',
    'zai-org/GLM-4.6',
    'MiniMax-M2',
    'deepseek-ai/DeepSeek-V3.2',
    'Kimi-K2-Thinking',
  ])('is replayed to %s', (model) => expect(reasoningReplay(model)).toBe('turn'))
  test.each([
    'deepseek-r1:14b',
    'qwen3-coder:30b',
    'Qwen3-4B-Instruct-2507',
    'llama3.1:8b',
    'Kimi-K2-Instruct',
    'glm-4-9b-chat',
    'qwen2.5-coder',
  ])('is not sent to %s', (model) => expect(reasoningReplay(model)).toBe('none'))
  test.each(['Qwen/Qwen3.6-35B-A3B', 'qwen3.6:27b', 'Qwen3.8-27B-Q6_K.gguf'])(
    'is kept from earlier turns for %s, whose template preserves it',
    (model) => expect(reasoningReplay(model)).toBe('conversation'),
  )

  test('is known from the name behind an alias', () => {
    expect(reasoningReplay('my-model')).toBe('none')
    expect(reasoningReplay('my-model', { originalName: 'Qwen3-8B-Q4_K_M.gguf' })).toBe('turn')
    expect(reasoningReplay('qwen3', { reasoning: 'none' })).toBe('none')
  })
  // As llama.cpp's templates write it: Kimi-K2-Thinking, gpt-oss and DeepSeek-V3.2.
  test.each([
    ['{%- set rc = message.reasoning_content -%}', false, 'turn'],
    ['{%- if "thinking" in message %}{{ message.thinking }}', false, 'turn'],
    ["{{ message['reasoning_content'] }}", undefined, 'turn'],
    ['{{ message.reasoning_content }}', true, 'conversation'],
    ['{%- if enable_thinking %}<thinking>{% endif %}{{ message.content }}', false, 'none'],
  ] as const)('is what the template %j uses', (template, preserves, replay) =>
    expect(templateReplay(template, preserves, 'my-model')).toBe(replay),
  )

  test('is sent in the field of each protocol', async () => {
    const bodies: string[] = []
    const { url } = await serve((_request, response, body) => {
      bodies.push(body)
      response.writeHead(400).end('enough')
    })
    const messages: ChatMessage[] = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: '', reasoning: 'first look', toolCalls: [{ id: 'c', name: 'x', arguments: '{}' }] },
      { role: 'tool', callId: 'c', name: 'x', content: 'seen' },
    ]
    for (const create of [createOpenAiClient, createOllamaClient])
      await modelError(collect(create({ name: 'Test', baseUrl: url }), chatRequest({ messages })))
    expect(bodies[0]).toContain('"reasoning_content":"first look"')
    expect(bodies[1]).toContain('"thinking":"first look"')
  })
})

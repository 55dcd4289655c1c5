import { describe, expect, test } from 'vitest'
import { detectPromptTruncation, type PromptCount } from './promptTruncationDetection.ts'

const count = (change: Partial<PromptCount>): PromptCount => ({
  messages: 3000,
  tools: 2000,
  error: 0.25,
  reported: 5000,
  window: 32_768,
  hidesCached: false,
  ...change,
})

describe('truncation is detected', () => {
  test.each<[string, Partial<PromptCount>, Partial<PromptCount>?]>([
    [
      'if the prompt exceeds the context size and the server still answers',
      { messages: 9000, reported: 3900, window: 4096 },
    ],
    [
      'the same with Ollama, whose count may omit cached tokens',
      { messages: 9000, reported: 3900, window: 4096, hidesCached: true },
    ],
    ['if the count equals the context size', { messages: 3000, reported: 4095, window: 4096 }],
    ['if the count is lower than that of the messages alone', { messages: 9000, reported: 4096, window: 32_768 }],
    ['the same with an unknown context size', { messages: 9000, reported: 4096, window: undefined }],
    [
      'if the conversation grew but not the count',
      { messages: 4000, reported: 4010, window: undefined },
      { messages: 3000, reported: 4050, window: undefined },
    ],
    [
      'if the count fell while the conversation grew, as when the server drops messages',
      { messages: 4000, reported: 3000, hidesCached: true },
      { messages: 3000, reported: 4000, hidesCached: true },
    ],
  ])('%s', (_name, now, before) => {
    const { messages, tools, reported } = count(now)
    expect(detectPromptTruncation(count(now), before && count(before))).toEqual({
      sent: messages + tools,
      read: reported,
    })
  })
})

describe('truncation is not detected', () => {
  test.each<[string, Partial<PromptCount>, Partial<PromptCount>?]>([
    ['for a prompt that was read completely', {}],
    ['for tools that a template formats in half the tokens', { tools: 8000, reported: 7000 }],
    ['for an estimate that is too high within its error', { messages: 9000, tools: 0, error: 0.4, reported: 6000 }],
    [
      'if only the estimate exceeds the context size',
      { messages: 4500, tools: 0, error: 0.25, reported: 3800, window: 4096 },
    ],
    ['if nothing is reported', { reported: 0 }],
    ['for a short conversation with a relatively large template', { messages: 400, tools: 0, reported: 100 }],
    ['if a count without cached tokens is low', { messages: 9000, reported: 300, hidesCached: true }],
    [
      'if the next count omits cached tokens',
      { messages: 4000, reported: 900, hidesCached: true },
      { messages: 3000, reported: 5000, hidesCached: true },
    ],
    [
      'if the count grows with the conversation',
      { messages: 4000, reported: 5900 },
      { messages: 3000, reported: 5000 },
    ],
    ['if the conversation was summarized', { messages: 3000, reported: 5000 }, { messages: 20_000, reported: 21_000 }],
    [
      'if the tools changed',
      { messages: 4000, tools: 500, reported: 4500 },
      { messages: 3000, tools: 2000, reported: 5000 },
    ],
  ])('%s', (_name, now, before) => {
    expect(detectPromptTruncation(count(now), before && count(before))).toBeUndefined()
  })
})

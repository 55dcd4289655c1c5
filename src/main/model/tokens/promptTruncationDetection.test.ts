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
      'where more was sent than the window holds, and the server answered all the same',
      { messages: 9000, reported: 3900, window: 4096 },
    ],
    [
      'the same with Ollama, whose count may hide what it cached',
      { messages: 9000, reported: 3900, window: 4096, hidesCached: true },
    ],
    ['where the count ends exactly where the window does', { messages: 3000, reported: 4095, window: 4096 }],
    ['where less was read than the messages alone', { messages: 9000, reported: 4096, window: 32_768 }],
    ['the same where the window is not known', { messages: 9000, reported: 4096, window: undefined }],
    [
      'where the conversation grew and the count did not follow',
      { messages: 4000, reported: 4010, window: undefined },
      { messages: 3000, reported: 4050, window: undefined },
    ],
    [
      'where the count fell while the conversation grew, as when whole messages are dropped',
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
    ['in a prompt that was read whole', {}],
    ['in tools that a template writes in half the tokens', { tools: 8000, reported: 7000 }],
    ['in an estimate that is too high within its error', { messages: 9000, tools: 0, error: 0.4, reported: 6000 }],
    [
      'in a window that the estimate alone oversteps',
      { messages: 4500, tools: 0, error: 0.25, reported: 3800, window: 4096 },
    ],
    ['where nothing is reported', { reported: 0 }],
    ['in a short conversation, of which the template is a large part', { messages: 400, tools: 0, reported: 100 }],
    ['where a count without the cached part is small', { messages: 9000, reported: 300, hidesCached: true }],
    [
      'where the cached part is missing from the next count',
      { messages: 4000, reported: 900, hidesCached: true },
      { messages: 3000, reported: 5000, hidesCached: true },
    ],
    ['where the count follows', { messages: 4000, reported: 5900 }, { messages: 3000, reported: 5000 }],
    [
      'where the conversation was summarized',
      { messages: 3000, reported: 5000 },
      { messages: 20_000, reported: 21_000 },
    ],
    [
      'where other tools were offered',
      { messages: 4000, tools: 500, reported: 4500 },
      { messages: 3000, tools: 2000, reported: 5000 },
    ],
  ])('%s', (_name, now, before) => {
    expect(detectPromptTruncation(count(now), before && count(before))).toBeUndefined()
  })
})

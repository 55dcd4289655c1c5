import { expect, test } from 'vitest'
import { promptSizeWarning } from './promptSizeWarning.ts'

const tools = Array.from({ length: 30 }, (_, n) => ({
  name: `tool_${n}`,
  description: 'x'.repeat(300),
  parameters: { type: 'object' },
}))
const input = {
  endpoint: { kind: 'ollama' },
  target: { kind: 'ollama', baseUrl: 'http://127.0.0.1:11434' },
  contextWindow: 4096,
  system: 'Be good.',
  tools,
  message: 'Hello',
} as const

test('a prompt that fits, an unknown context size and the tour cause no warning', () => {
  expect(promptSizeWarning({ ...input, contextWindow: 32_768 })).toBeUndefined()
  expect(promptSizeWarning({ ...input, contextWindow: undefined })).toBeUndefined()
  expect(promptSizeWarning({ ...input, endpoint: { kind: 'tour' } })).toBeUndefined()
})

test.each([
  ['ollama', 'http://127.0.0.1:11434', /num_ctx/],
  ['openai', 'http://127.0.0.1:8080/v1', /`-c 32768`/],
  ['openai', 'http://127.0.0.1:1234', /Context Length/],
  ['openai', 'http://127.0.0.1:8000', /--max-model-len/],
  ['openai', 'https://example.org', /llama-server `-c`, vLLM/],
] as const)('%s at %s gets its own hint', (kind, baseUrl, remedy) => {
  expect(promptSizeWarning({ ...input, endpoint: { kind }, target: { kind, baseUrl }, contextWindow: 2048 })).toMatch(
    remedy,
  )
})

test('a prompt that fits but leaves too little room causes a warning', () => {
  expect(promptSizeWarning({ ...input, contextWindow: 4096 })).toMatch(/leaves too little/)
  expect(promptSizeWarning({ ...input, contextWindow: 2048 })).toMatch(/do not fit/)
})

test('a long first message is included', () => {
  expect(promptSizeWarning({ ...input, contextWindow: 32_768, message: 'x'.repeat(200_000) })).toMatch(/do not fit/)
})

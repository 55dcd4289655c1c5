import { describe, expect, test } from 'vitest'
import { serverFailed } from './modelErrors.ts'

const target = { name: 'Server', kind: 'openai', baseUrl: 'http://127.0.0.1:8000', model: 'm' } as const
const error = (message: string, more: object = {}) => JSON.stringify({ error: { message, ...more } })

/** Errors of servers with HTTP 400 (or 500, or inside a stream), and the numbers in them. */
const refusals: [server: string, body: string, window: number | undefined, prompt: number | undefined][] = [
  [
    'llama-server',
    error('request (8320 tokens) exceeds the available context size (4096 tokens), try increasing it', {
      type: 'exceed_context_size_error',
      n_prompt_tokens: 8320,
      n_ctx: 4096,
    }),
    4096,
    8320,
  ],
  [
    'llama-server of 2025',
    error('the request exceeds the available context size. try increasing the context size or enable context shift', {
      type: 'exceed_context_size_error',
      n_prompt_tokens: 5000,
      n_ctx: 4096,
    }),
    4096,
    5000,
  ],
  [
    'llama-server without fields',
    error('the request exceeds the available context size, try increasing it'),
    undefined,
    undefined,
  ],
  ['llama-server while it answers', error('Context size has been exceeded.'), undefined, undefined],
  [
    'llama-server, one message',
    error('input is larger than the max context size. skipping', { type: 'exceed_context_size_error', n_ctx: 2048 }),
    2048,
    undefined,
  ],
  ['Ollama', '{"error":"the input length exceeds the context length"}', undefined, undefined],
  ['Ollama with sizes', '{"error":"input length (9000 tokens) exceeds the context length (4096 tokens)"}', 4096, 9000],
  ['Ollama, runner', '{"error":"prompt too long; exceeded max context length by 512 tokens"}', undefined, undefined],
  [
    'LM Studio',
    '{"error":"Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input."}',
    7866,
    10136,
  ],
  ['LM Studio 0.4', '{"error":"Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"}', 7424, 15028],
  [
    'LM Studio, older',
    '{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5063>= n_ctx: 4096)."}',
    4096,
    5063,
  ],
  [
    'LM Studio while it answers',
    '{"error":"Reached context length of 4096 tokens with model (arch: qwen2) that does not currently support mid-generation context overflow."}',
    4096,
    undefined,
  ],
  [
    'vLLM',
    JSON.stringify({
      object: 'error',
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion). Please reduce the length of the messages or completion.",
    }),
    4096,
    4500,
  ],
  [
    'vLLM 0.11',
    error(
      "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.",
    ),
    4096,
    5000,
  ],
  [
    'vLLM 0.15',
    error(
      "You passed 4097 input tokens and requested 0 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4096 tokens.",
    ),
    4096,
    4097,
  ],
  [
    'vLLM engine',
    error(
      'The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    ),
    4096,
    5000,
  ],
  [
    'SGLang',
    JSON.stringify({
      object: 'error',
      message: "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
      code: 400,
    }),
    40_960,
    61_709,
  ],
  [
    'SGLang, with completion',
    JSON.stringify({
      message:
        "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 4500 tokens from the input messages and 500 tokens for the completion.",
    }),
    4096,
    4500,
  ],
  [
    'SGLang, small cache',
    JSON.stringify({
      message:
        'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens). Use a shorter input or enable --allow-auto-truncate.',
    }),
    59_862,
    160_062,
  ],
  [
    'KoboldCpp',
    '{"detail":{"msg":"Prompt is too long for the context size of 4096.","type":"bad_input"}}',
    4096,
    undefined,
  ],
  [
    'Text Generation Inference',
    '{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 512 `max_new_tokens`","error_type":"validation"}',
    4096,
    undefined,
  ],
  [
    'Mistral',
    JSON.stringify({
      message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    }),
    32_768,
    40_000,
  ],
  ['TabbyAPI', '{"detail":"Prompt length 5000 is greater than max_seq_len 4096"}', 4096, undefined],
  [
    'OpenAI',
    error("This model's maximum context length is 128,000 tokens.", { code: 'context_length_exceeded' }),
    128_000,
    undefined,
  ],
  ['a code alone', error('Bad request', { code: 'context_length_exceeded' }), undefined, undefined],
  [
    'OpenRouter',
    error(
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (39000 of text input, 1000 in the output).",
    ),
    32_768,
    40_000,
  ],
  [
    'a gateway',
    error('litellm.ContextWindowExceededError: prompt is too long: 210000 tokens > 200000 maximum'),
    200_000,
    210_000,
  ],
]

describe('a prompt that exceeds the context', () => {
  test.each(refusals)('%s: %s', (_, body, window, prompt) => {
    const failure = serverFailed(400, body, target)
    expect(failure.code).toBe('context_exceeded')
    expect(failure.excess).toEqual({ ...(window && { window }), ...(prompt && { prompt }) })
  })
})

test.each([
  error('max_tokens must be at least 1'),
  error('the model `m` was not found'),
  error('input is too large to process. increase the physical batch size'),
  error('Failed to parse tools: context is missing'),
  error('This model does not support tools'),
])('an unrelated error is not about the context: %s', (body) => {
  expect(serverFailed(400, body, target).code).not.toBe('context_exceeded')
})

import { done, ndjson, sse, tokens, type Recording } from './recording.ts'

const line = (message: object, rest: object = { done: false }) => ({
  model: 'qwen3:8b',
  created_at: '2026-11-20T08:00:00.000000Z',
  message: { role: 'assistant', content: '', ...message },
  ...rest,
})
const last = (reason = 'stop') =>
  line(
    {},
    {
      done: true,
      done_reason: reason,
      total_duration: 4e9,
      load_duration: 1e8,
      prompt_eval_count: 812,
      prompt_eval_duration: 1e9,
      eval_count: 40,
      eval_duration: 2e9,
    },
  )
const v1 = {
  id: 'chatcmpl-438',
  object: 'chat.completion.chunk',
  created: 1795894315,
  model: 'smollm2',
  system_fingerprint: 'fp_ollama',
}
const source = 'ollama, docs/api.md and server/routes.go'

export const ollama: Recording[] = [
  {
    server: 'Ollama',
    shape: 'reasoning, text and a complete call',
    protocol: 'ollama',
    body: ndjson(
      ...tokens('I look.').map((thinking) => line({ thinking })),
      ...tokens('Reading é🦊.').map((content) => line({ content })),
      line({ tool_calls: [{ id: 'call_x1', function: { index: 0, name: 'read_file', arguments: { path: 'a' } } }] }),
      last(),
    ),
    expected: {
      reasoning: 'I look.',
      text: 'Reading é🦊.',
      calls: [{ id: 'call_x1', name: 'read_file', arguments: { path: 'a' } }],
      finish: 'tool_calls',
    },
    source,
  },
  {
    server: 'Ollama',
    shape: 'older: two calls without ids, in two lines',
    protocol: 'ollama',
    body: ndjson(
      line({ tool_calls: [{ function: { name: 'list_dir', arguments: {} } }] }),
      line({ tool_calls: [{ function: { name: 'list_dir', arguments: { path: 'src' } } }] }),
      last(),
    ),
    expected: {
      calls: [
        { name: 'list_dir', arguments: {} },
        { name: 'list_dir', arguments: { path: 'src' } },
      ],
      finish: 'tool_calls',
    },
    source,
  },
  {
    server: 'Ollama',
    shape: 'a template without tools: a call in the text',
    protocol: 'ollama',
    body: ndjson(
      ...tokens('<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>').map((content) =>
        line({ content }),
      ),
      last(),
    ),
    expected: { calls: [{ name: 'read_file', arguments: { path: 'a' } }], finish: 'tool_calls' },
    source: 'ollama issues on models pulled from other places (Modelfile without a tools template)',
  },
  {
    server: 'Ollama',
    shape: 'truncated at num_predict',
    protocol: 'ollama',
    body: ndjson(line({ content: 'And then' }), last('length')),
    expected: { text: 'And then', finish: 'length' },
    source,
  },
  {
    server: 'Ollama',
    shape: 'with likelihoods of the tokens',
    protocol: 'ollama',
    body: ndjson(
      {
        ...line({ content: 'I' }),
        logprobs: [
          {
            token: 'I',
            logprob: -2.1408069133758545,
            bytes: [73],
            top_logprobs: [
              { token: 'Hello', logprob: -1.8654277324676514, bytes: [72, 101, 108, 108, 111] },
              { token: 'I', logprob: -2.1408069133758545, bytes: [73] },
            ],
          },
        ],
      },
      last('length'),
    ),
    expected: { text: 'I', finish: 'length' },
    source: 'recorded from 0.17.4 with SmolLM2-135M-Instruct',
  },
  {
    server: 'Ollama',
    shape: 'its /v1: the beginning and the end of a real answer',
    protocol: 'openai',
    body: sse(
      ...[
        { delta: { role: 'assistant', content: 'Hello' }, finish_reason: null },
        { delta: { role: 'assistant', content: ' and' }, finish_reason: null },
        { delta: { role: 'assistant', content: '' }, finish_reason: 'length' },
      ].map((choice) => ({ ...v1, choices: [{ index: 0, ...choice }] })),
      { ...v1, choices: [], usage: { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 } },
      done,
    ),
    expected: { text: 'Hello and', finish: 'length' },
    source: 'recorded from 0.17.4 with SmolLM2-135M-Instruct',
  },
  {
    server: 'Ollama',
    shape: 'an error in the stream',
    protocol: 'ollama',
    body: ndjson(line({ content: 'Half' }), {
      error: 'an error was encountered while running the model: CUDA error: out of memory',
    }),
    expected: { text: 'Half', error: 'server_error' },
    source,
  },
  {
    server: 'Ollama',
    shape: 'its /v1: a call in one chunk',
    protocol: 'openai',
    body: sse(
      {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        model: 'qwen3:8b',
        choices: [
          {
            index: 0,
            delta: {
              role: 'assistant',
              content: '',
              tool_calls: [
                {
                  id: 'call_ab12',
                  index: 0,
                  type: 'function',
                  function: { name: 'read_file', arguments: '{"path":"a"}' },
                },
              ],
            },
            finish_reason: null,
          },
        ],
      },
      {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        model: 'qwen3:8b',
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'tool_calls' }],
      },
      done,
    ),
    expected: { calls: [{ id: 'call_ab12', name: 'read_file', arguments: { path: 'a' } }], finish: 'tool_calls' },
    source: 'ollama, openai/openai.go',
  },
]

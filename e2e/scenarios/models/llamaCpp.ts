import { done, sse, tokens, type Recording } from './recording.ts'

const chunk = (delta: object, finish: string | null = null) => ({
  choices: [{ finish_reason: finish, index: 0, delta }],
  created: 1763683200,
  id: 'chatcmpl-8qGxv1',
  model: 'qwen3-8b',
  system_fingerprint: 'b7100-1a2b3c4',
  object: 'chat.completion.chunk',
})
const begin = chunk({ role: 'assistant', content: null })
const end = {
  choices: [],
  object: 'chat.completion.chunk',
  usage: { completion_tokens: 21, prompt_tokens: 1874, total_tokens: 1895 },
  timings: { cache_n: 1800, prompt_n: 74, predicted_n: 21, predicted_per_second: 38.2 },
}
const started = (index: number, id: string, name: string) =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })
const more = (index: number, text: string) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })
const source = 'llama.cpp, tools/server: server-task.cpp and its tests'

const progress = (processed: number, ms: number) => ({
  ...begin,
  prompt_progress: { total: 33, cache: 0, processed, time_ms: ms },
})

/** llama-server with `--jinja`; Jan runs the same server. */
export const llamaCpp: Recording[] = [
  {
    server: 'llama.cpp',
    shape: 'reasoning, text and a call in chunks',
    protocol: 'openai',
    body: sse(
      begin,
      ...tokens('I should look.').map((reasoning_content) => chunk({ reasoning_content })),
      ...tokens('Reading it.').map((content) => chunk({ content })),
      started(0, 'Kx3h9vTqW2', 'read_file'),
      ...tokens('{"path":"src/é🦊.ts"}').map((text) => more(0, text)),
      chunk({}, 'tool_calls'),
      end,
      done,
    ),
    expected: {
      reasoning: 'I should look.',
      text: 'Reading it.',
      calls: [{ id: 'Kx3h9vTqW2', name: 'read_file', arguments: { path: 'src/é🦊.ts' } }],
      finish: 'tool_calls',
    },
    source,
  },
  {
    server: 'llama.cpp',
    shape: 'progress of the prompt, and an answer truncated at max_tokens',
    protocol: 'openai',
    body: sse(
      progress(0, 0),
      progress(33, 1478),
      begin,
      ...['How', ' can', ' I', ' assist'].map((content) => chunk({ content })),
      chunk({}, 'length'),
      {
        ...end,
        usage: {
          completion_tokens: 4,
          prompt_tokens: 33,
          total_tokens: 37,
          prompt_tokens_details: { cached_tokens: 0 },
        },
        timings: {
          cache_n: 0,
          prompt_n: 33,
          prompt_ms: 1478.846,
          prompt_per_second: 22.314696729747382,
          predicted_n: 4,
          predicted_ms: 248.406,
          predicted_per_second: 12.07700297094273,
        },
      },
      done,
    ),
    expected: { text: 'How can I assist', finish: 'length' },
    source: 'recorded from b11434 with SmolLM2-135M-Instruct',
  },
  {
    server: 'llama.cpp',
    shape: 'two calls',
    protocol: 'openai',
    body: sse(
      begin,
      started(0, 'a1', 'read_file'),
      more(0, '{"path":"a"}'),
      started(1, 'b2', 'list_dir'),
      more(1, '{}'),
      chunk({}, 'tool_calls'),
      end,
      done,
    ),
    expected: {
      calls: [
        { id: 'a1', name: 'read_file', arguments: { path: 'a' } },
        { id: 'b2', name: 'list_dir', arguments: {} },
      ],
      finish: 'tool_calls',
    },
    source,
  },
  {
    server: 'llama.cpp',
    shape: 'the context is full in the middle of a call',
    protocol: 'openai',
    body: sse(
      begin,
      started(0, 'a1', 'write_file'),
      more(0, '{"path":"a","content":"fun'),
      chunk({}, 'length'),
      end,
      done,
    ),
    expected: { calls: [{ id: 'a1', name: 'write_file', arguments: '{"path":"a","content":"fun' }], finish: 'length' },
    source,
  },
  {
    server: 'llama.cpp',
    shape: 'an error in the stream, older format (`error:` field)',
    protocol: 'openai',
    body: `${sse(begin, chunk({ content: 'Half' }))}error: {"code":500,"message":"slot unavailable","type":"server_error"}\n\n`,
    expected: { text: 'Half', error: 'server_error' },
    source,
  },
  {
    server: 'llama.cpp',
    shape: 'an error in the stream',
    protocol: 'openai',
    body: sse(begin, chunk({ content: 'Half' }), {
      error: { code: 500, message: 'Context size has been exceeded.', type: 'server_error' },
    }),
    expected: { text: 'Half', error: 'context_exceeded' },
    source,
  },
  {
    server: 'Jan',
    shape: 'reasoning not recognized: the tag is in the text',
    protocol: 'openai',
    body: sse(
      begin,
      ...tokens('<think>\nHm.\n</think>\n\nDone.').map((content) => chunk({ content })),
      chunk({}, 'stop'),
      done,
    ),
    expected: { reasoning: '\nHm.\n', text: '\n\nDone.', finish: 'stop' },
    source: 'Jan, docs/local-server; llama.cpp with `--reasoning-format none`',
  },
  {
    server: 'Jan',
    shape: 'the whole answer at once instead of a stream',
    protocol: 'openai',
    contentType: 'application/json',
    body: JSON.stringify({
      id: 'x',
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: '',
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'list_dir', arguments: '{"path":"."}' } }],
          },
        },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    }),
    expected: { calls: [{ id: 'c1', name: 'list_dir', arguments: { path: '.' } }], finish: 'tool_calls' },
    source: "OpenAI's reference of the chat completion object",
  },
]

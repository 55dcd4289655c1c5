import { done, sse, tokens, type Recording } from './recording.ts'

const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
  id: 'chatcmpl-0',
  object: 'chat.completion.chunk',
  created: 1763683200,
  model: 'm',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish, ...more }],
})
const usage = {
  id: 'chatcmpl-0',
  object: 'chat.completion.chunk',
  choices: [],
  usage: { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 },
}
const fragment = (fields: object) => chunk({ tool_calls: [fields] })
const read = { name: 'read_file', arguments: { path: 'a' } }

const lmStudio: Recording[] = [
  {
    server: 'LM Studio',
    shape: 'numbers as ids, arguments in chunks',
    protocol: 'openai',
    body: sse(
      chunk({ role: 'assistant' }),
      fragment({ index: 0, id: '365174485', type: 'function', function: { name: 'read_file', arguments: '' } }),
      ...tokens('{"path":"a"}').map((text) => fragment({ index: 0, function: { arguments: text } })),
      chunk({}, 'tool_calls'),
      done,
    ),
    expected: { calls: [{ id: '365174485', ...read }], finish: 'tool_calls' },
    source: 'LM Studio, docs on tool use, streaming',
  },
  {
    server: 'LM Studio',
    shape: 'its own format for models without native tools, not parsed by the server',
    protocol: 'openai',
    body: sse(
      chunk({ role: 'assistant' }),
      ...tokens('[TOOL_REQUEST]{"name": "read_file", "arguments": {"path": "a"}}[END_TOOL_REQUEST]').map((content) =>
        chunk({ content }),
      ),
      chunk({}, 'stop'),
      done,
    ),
    expected: { calls: [read], finish: 'tool_calls' },
    source: 'LM Studio, docs on tool use, default tool use format',
  },
  {
    server: 'LM Studio',
    shape: 'an error as a separate event',
    protocol: 'openai',
    body: `${sse(chunk({ content: 'Half' }))}event: error\ndata: {"error":{"message":"The model has crashed without additional information. (Exit code: 6)"}}\n\n`,
    expected: { text: 'Half', error: 'server_error' },
    source: 'lmstudio-ai/lmstudio-bug-tracker',
  },
]

const vllm: Recording[] = [
  {
    server: 'vLLM',
    shape: 'reasoning in `reasoning`, the name before the arguments',
    protocol: 'openai',
    body: sse(
      chunk({ role: 'assistant', content: '' }),
      ...tokens('Look first.').map((reasoning) => chunk({ reasoning, reasoning_content: reasoning })),
      fragment({ id: 'chatcmpl-tool-4f', type: 'function', index: 0, function: { name: 'read_file' } }),
      ...tokens('{"path": "a"}').map((text) => fragment({ index: 0, function: { arguments: text } })),
      chunk({}, 'tool_calls', { stop_reason: null }),
      usage,
      done,
    ),
    expected: { reasoning: 'Look first.', calls: [{ id: 'chatcmpl-tool-4f', ...read }], finish: 'tool_calls' },
    source: 'vLLM, docs on tool calling and reasoning outputs',
  },
  {
    server: 'vLLM',
    shape: 'no `--tool-call-parser`: Qwen3-Coder in the text',
    protocol: 'openai',
    body: sse(
      chunk({ role: 'assistant', content: '' }),
      ...tokens(
        'I read it.\n\n<tool_call>\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>',
      ).map((content) => chunk({ content })),
      chunk({ content: '' }, 'stop', { stop_reason: null }),
      usage,
      done,
    ),
    expected: { text: 'I read it.\n\n', calls: [read], finish: 'tool_calls' },
    source: 'vLLM issues on qwen3_coder; the chat template on the model card',
  },
  {
    server: 'vLLM',
    shape: 'the same call natively and in the text',
    protocol: 'openai',
    body: sse(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>' }),
      fragment({
        id: 'chatcmpl-tool-5',
        type: 'function',
        index: 0,
        function: { name: 'read_file', arguments: '{"path": "a"}' },
      }),
      chunk({}, 'tool_calls'),
      done,
    ),
    expected: { calls: [{ id: 'chatcmpl-tool-5', ...read }], finish: 'tool_calls' },
    source: 'vLLM issues on streaming tool parsers that also return the text',
  },
  {
    server: 'vLLM',
    shape: 'an error in the stream',
    protocol: 'openai',
    body: sse(
      chunk({ content: 'Half' }),
      { error: { message: 'EngineCore encountered an issue', type: 'InternalServerError', code: 500 } },
      done,
    ),
    expected: { text: 'Half', error: 'server_error' },
    source: 'vLLM, entrypoints/openai/serving_engine.py',
  },
]

const sglang: Recording[] = [
  {
    server: 'SGLang',
    shape: 'null in every unused field',
    protocol: 'openai',
    body: sse(
      chunk({ role: 'assistant', content: '', reasoning_content: null, tool_calls: null }, null, {
        matched_stop: null,
      }),
      chunk({ role: null, content: null, reasoning_content: 'Hm.', tool_calls: null }, null, { matched_stop: null }),
      chunk({
        role: null,
        content: null,
        reasoning_content: null,
        tool_calls: [{ id: 'call_9f', index: 0, type: 'function', function: { name: 'read_file', arguments: '' } }],
      }),
      chunk({
        role: null,
        content: null,
        reasoning_content: null,
        tool_calls: [{ id: null, index: 0, type: 'function', function: { name: null, arguments: '{"path": "a"}' } }],
      }),
      chunk({ role: null, content: null, reasoning_content: null, tool_calls: null }, 'tool_calls', {
        matched_stop: null,
      }),
      usage,
      done,
    ),
    expected: { reasoning: 'Hm.', calls: [{ id: 'call_9f', ...read }], finish: 'tool_calls' },
    source: 'SGLang, entrypoints/openai/protocol.py and serving_chat.py',
  },
]

/** Servers without native tool calls, with the text prompt: its format, and the variations that models write. */
const textOnly: Recording[] = [
  {
    server: 'text only',
    shape: 'the format of the text prompt',
    protocol: 'openai',
    body: sse(
      ...tokens('I read it first.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>').map(
        (content) => chunk({ content }),
      ),
      chunk({}, 'stop'),
      done,
    ),
    expected: { text: 'I read it first.\n', calls: [read], finish: 'tool_calls' },
    source: "tools/schema/toolSchema.ts; Blade's document",
  },
  {
    server: 'text only',
    shape: 'the answer ends before the closing tag',
    protocol: 'openai',
    body: sse(
      ...tokens('<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}').map((content) => chunk({ content })),
      chunk({}, 'stop'),
      done,
    ),
    expected: { calls: [read], finish: 'tool_calls' },
    source: 'stop words of text-generation-webui and KoboldCpp',
  },
  {
    server: 'text only',
    shape: 'a call as an example',
    protocol: 'openai',
    body: sse(
      ...tokens('So:\n```\n<tool_call>{"name": "read_file", "arguments": {}}</tool_call>\n```\n').map((content) =>
        chunk({ content }),
      ),
      chunk({}, 'stop'),
      done,
    ),
    expected: {
      text: 'So:\n```\n<tool_call>{"name": "read_file", "arguments": {}}</tool_call>\n```\n',
      finish: 'stop',
    },
    source: 'own',
  },
]

export const others: Recording[] = [...lmStudio, ...vllm, ...sglang, ...textOnly]

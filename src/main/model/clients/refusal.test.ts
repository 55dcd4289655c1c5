import { describe, expect, test } from 'vitest'
import type { ChatMessage } from '../modelClient.ts'
import { readRefusal } from './refusal.ts'

const lines = 'This failed to parse\nFailed to parse grammar'
/** A conversation about the very words that servers use when they reject a request. */
const messages: ChatMessage[] = [
  { role: 'system', content: 'You edit code.' },
  { role: 'user', content: 'Fix this: Failed to parse grammar. Conversation roles must alternate user/assistant.' },
  { role: 'user', content: `And this: ${lines}` },
]
const read = (error: unknown, status = 400) => readRefusal(status, JSON.stringify(error), { messages })
const causes = (message: string, status?: number) => read({ error: { message } }, status)?.causes

describe('a grammar that a server cannot compile is recognized', () => {
  test.each([
    ['llama-server', 'Failed to parse grammar'],
    ['llama-server', 'Failed to initialize samplers: failed to parse grammar'],
    ['llama-server, issue 22396', 'Failed to initialize samplers: std::exception'],
    [
      'llama-server, issue 23990',
      'Failed to initialize samplers: Unexpected empty grammar stack after accepting piece: {" (14937)',
    ],
    ['llama-server, issue 14227', 'JSON schema conversion failed:\nUnrecognized schema: {"description":"Any value"}'],
    [
      'llama-server, issue 26930',
      "Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed:\nPattern must start with '^' and end with '$'",
    ],
    [
      'LM Studio',
      'Engine protocol predict request returned 400:\n{"error":{"code":400,"message":"Failed to initialize samplers: failed to parse grammar","type":"invalid_request_error"}}',
    ],
    ['vLLM', 'The provided JSON schema contains features not supported by xgrammar.'],
    ['vLLM', 'Failed to transform json schema into a grammar: unsupported keyword'],
    ['vLLM', 'Grammar error: Unimplemented keys: ["propertyNames"]'],
    ['SGLang', 'Failed to compile json grammar: Cannot find field $defs in #/$defs/Item'],
    ['SGLang', 'Failed to compile structural_tag grammar: items must be a boolean or an object'],
    ['SGLang', 'Grammar compilation failed: invalid schema'],
  ])('%s: %s', (_, message) => {
    expect(causes(message)?.[0]).toBe('grammar')
  })

  test('also in an error without fields', () => {
    expect(readRefusal(500, 'Failed to parse grammar', { messages })?.causes).toEqual(['grammar'])
  })
})

test('a grammar that breaks while the model writes is told apart, because the next answer may not break it', () => {
  expect(causes('Unexpected empty grammar stack after accepting piece: <think> (151667)', 500)).toEqual([
    'grammarWhileWriting',
  ])
})

describe('a failing template has its own reason, whatever its excerpt contains', () => {
  test.each([
    [
      'Hermes (minja)',
      `Trying to call method 'lstrip' on null at row 41, column 128:\n  {{- 'Use the following pydantic model json schema for each tool call: {"properties"' }}\n  ^`,
      'emptyText',
    ],
    [
      'Llama 3.1 (common/jinja)',
      'While executing CallExpression at line 71, column 32 in source:\n..." }}↵{{- "Respond with JSON schema, failed to parse grammar" }}...\n   ^\nError: Jinja Exception: This model only supports single tool-calls at once!',
      'severalCalls',
    ],
    [
      'Llama 3.1 in one line',
      `Jinja Exception: This model only supports single tool-calls at once! {{- 'Unrecognized schema' }}`,
      'severalCalls',
    ],
    ['Mistral', 'Jinja Exception: Tool call IDs should be alphanumeric strings with length 9!', 'callIds'],
    ['Gemma', 'Jinja Exception: System role not supported', 'systemRole'],
    ['Gemma', 'Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...', 'alternation'],
    ['any other', 'Value is not callable: null at row 12, column 4: {%- if tools %}', 'template'],
    [
      'any other',
      'Unable to generate parser for this template. Error: Object key of unhashable type: Array',
      'template',
    ],
  ])('%s: %s', (_, message, cause) => {
    expect(causes(message, 500)?.[0]).toBe(cause)
    expect(causes(message, 500)).not.toContain('grammar')
  })
})

describe('an error that quotes is not read by its quotation', () => {
  const input = { messages: [{ role: 'user', content: 'Failed to parse grammar; NoneType; unknown role; jinja' }] }
  test.each([
    [
      'vLLM: a field that it does not know',
      {
        object: 'error',
        message: `[{'type': 'extra_forbidden', 'loc': ('body', 'foo'), 'msg': 'Extra inputs are not permitted', 'input': ${JSON.stringify(input)}}]`,
      },
    ],
    [
      'vLLM: an error of Pydantic as text',
      {
        error: {
          message: `1 validation error for ChatCompletionRequest\nfoo\n  Extra inputs are not permitted [type=extra_forbidden, input_value=${JSON.stringify(input)}, input_type=dict]`,
        },
      },
    ],
    ['FastAPI', { detail: [{ type: 'missing', loc: ['body', 'messages', 1], msg: 'Field required', input }] }],
    [
      'llama-server: messages that it cannot read',
      {
        error: { message: `Failed to parse messages: Missing 'role'; messages = ${JSON.stringify([input], null, 2)}` },
      },
    ],
    [
      'Ollama: a call that the model wrote',
      { error: `error parsing tool call: raw='{"text":"unknown role, NoneType, jinja"}', err=invalid character` },
    ],
    [
      'llama-server: an answer that it cannot read',
      { error: { message: 'Failed to parse input at pos 12: <tool_call> on null, must alternate between' } },
    ],
    [
      'any server: a message of the user',
      {
        error: {
          message:
            'Invalid content: "Fix this: Failed to parse grammar. Conversation roles must alternate user/assistant."',
        },
      },
    ],
    ['any server: lines of a message', { error: { message: `Invalid content: "${lines}"` } }],
    ['any server: lines of a message as JSON', { error: { message: `Invalid content: ${JSON.stringify(lines)}` } }],
  ])('%s', (_, error) => {
    expect(read(error, 500)?.causes).toEqual([])
  })
})

describe('an error with another reason teaches nothing', () => {
  test.each([
    [400, 'the request exceeds the available context size (grammar included)'],
    [500, 'CUDA error: out of memory while applying grammar bitmask'],
    [500, 'Failed to initialize samplers: failed to allocate buffer'],
    [400, 'image input is not supported: failed to parse grammar'],
    [500, 'loading model: chat template'],
    [404, 'model not found: chat template'],
    [401, 'chat template'],
    [429, 'Failed to parse grammar'],
  ])('%i: %s', (status, message) => {
    expect(read({ error: { message } }, status)).toBeUndefined()
  })

  test.each([
    'invalid temperature',
    'Failed to load model "unsloth/qwen-json-schema". Error: exit code 1',
    'Either "json_schema" or "grammar" can be specified, but not both',
    'EngineCore encountered an issue: structured_output_request_ids={}, grammar_bitmask=None',
    'This guided tour of the JSON schema has ended',
    'Unknown field: chat_template_kwargs',
    'chat_template is not supported for Mistral tokenizers.',
    'invalid image format',
  ])('%s', (message) => {
    expect(causes(message, 500)).toEqual([])
  })
})

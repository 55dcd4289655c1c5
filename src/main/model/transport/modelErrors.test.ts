import { describe, expect, test } from 'vitest'
import { connectionFailed, errorText, serverFailed, type RequestTarget } from './modelErrors.ts'
import { serverRoot } from './localServers.ts'

const target = (baseUrl: string, kind: RequestTarget['kind'] = 'openai'): RequestTarget => ({
  name: 'Mine',
  kind,
  baseUrl,
  model: 'm',
})
const withCode = (code: string) => Object.assign(new Error(code), { code })

test.each([
  '{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}',
  '{"error":"this model is missing data required for image input"}',
  '{"object":"error","message":"m is not a multimodal model","type":"BadRequestError","code":400}',
  '{"error":"Model does not support images. Please use a model that does."}',
  String.raw`{"error":{"message":"Failed to parse messages: Unsupported content part type: \"image_url\"; messages = [\n{}]"}}`,
])('a model without image support is reported with a hint: %s', (body) => {
  const error = serverFailed(400, body, target('http://127.0.0.1:8080'))
  expect(error.message).toMatch(/^m does not support images on Mine/)
  expect(error.hint).toContain('mmproj')
})

test.each([
  ['-c 65536', { info: { contextWindow: 32_768, trainedWindow: 131_072 } }],
  ['-c 40960', { info: { contextWindow: 32_768, trainedWindow: 40_960 } }],
  ['trained for 8,192 tokens', { info: { contextWindow: 8192, trainedWindow: 8192 } }],
  ['fewer slots', { info: { contextWindow: 8192 }, slots: 4 }],
  ["in the endpoint's settings", { info: { contextWindow: 4096 }, configuredWindow: 4096 }],
] as const)('a full context advises what the server does not have yet: %s', (remedy, known) => {
  const full = '{"error":{"message":"the request exceeds the available context size"}}'
  const { hint } = serverFailed(400, full, { ...target('http://127.0.0.1:8080'), server: 'llamacpp', ...known })
  expect(hint).toContain(remedy)
})

test('what a server quotes does not decide what its error means', () => {
  const quoted = 'loading model, out of memory, does not support tools, context length exceeded'
  for (const message of [
    `error parsing tool call: raw='${quoted}', err=invalid character`,
    `[{'type': 'missing', 'loc': ('body', 'x'), 'msg': 'Field required', 'input': {'content': '${quoted}'}}]`,
    `Failed to parse messages: Missing 'role'; messages = [\n  {"content": "${quoted}"}]`,
  ])
    for (const [status, code] of [
      [400, 'bad_request'],
      [500, 'server_error'],
    ] as const) {
      const error = serverFailed(status, JSON.stringify({ error: message }), target('http://127.0.0.1:8080'))
      expect([error.code, error.message]).toEqual([code, expect.not.stringContaining('ran out of memory')])
      expect(error.message).toContain(quoted)
    }
})

describe('a failed connection', () => {
  test.each([
    ['ECONNREFUSED', 'http://127.0.0.1:1234', /lms server start/],
    ['ECONNREFUSED', 'http://127.0.0.1:8080', /llama-server -m/],
    ['ECONNREFUSED', 'http://127.0.0.1:8000', /vllm serve/],
    ['ECONNREFUSED', 'http://127.0.0.1:1337', /Jan/],
    ['ENOTFOUND', 'http://mybox', /Check the address/],
    ['EHOSTUNREACH', 'http://10.0.0.9', /firewall/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'https://mybox', /NODE_EXTRA_CA_CERTS/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'https://mybox', /NODE_EXTRA_CA_CERTS/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'https://mybox', /http:\/\/ instead/],
    ['ECONNRESET', 'http://mybox', /log/],
  ])('%s at %s', (code, baseUrl, remedy) => {
    const error = connectionFailed(withCode(code), target(baseUrl))
    expect(error.code).toBe('unreachable')
    expect(error.message).toContain(baseUrl)
    expect(error.hint).toMatch(remedy)
  })

  test('is named by its address alone if the name only repeats it', () => {
    const named = (name: string) =>
      connectionFailed(withCode('ECONNREFUSED'), { ...target('http://127.0.0.1:4999'), name }).message
    expect(named('127.0.0.1:4999')).toMatch(/^http:\/\/127\.0\.0\.1:4999 refused/)
    expect(named('Box')).toMatch(/^Box at http:\/\/127\.0\.0\.1:4999 refused/)
  })

  test('uses the code of the last address if several failed', () => {
    expect(
      connectionFailed(
        new AggregateError([withCode('EINVAL'), withCode('ECONNREFUSED')]),
        target('http://localhost:8080'),
      ).message,
    ).toMatch(/refused/)
  })

  test('reports a server that does not use HTTP', () => {
    expect(connectionFailed(withCode('HPE_INVALID_CONSTANT'), target('http://127.0.0.1:22')).code).toBe('bad_response')
  })
})

describe('errors reported by a server', () => {
  test.each([
    [
      500,
      '{"error":{"code":500,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":256}}',
      'context_exceeded',
    ],
    [
      400,
      '{"object":"error","message":"This model\'s maximum context length is 4096 tokens. However, you requested 5000 tokens"}',
      'context_exceeded',
    ],
    [
      400,
      '{"error":"\\"auto\\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}',
      'no_tools',
    ],
    [500, '{"error":{"message":"tools param requires --jinja flag"}}', 'no_tools'],
    [
      404,
      '{"error":{"message":"No models loaded. Please load a model in the developer page","code":"model_not_found"}}',
      'no_model',
    ],
    [404, '{"error":{"message":"The model `m` does not exist.","code":404}}', 'no_model'],
    // LiteLLM 1.108 without a database.
    [
      400,
      '{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}',
      'unauthorised',
    ],
    [
      400,
      '{"error":{"message":"/chat/completions: Invalid model name passed in model=m. Call `/v1/models` to view available models for your key.","type":"None","param":"None","code":"400"}}',
      'no_model',
    ],
    [500, 'CUDA error: out of memory', 'server_error'],
    [429, '{"error":"slow down"}', 'server_error'],
  ] as const)('HTTP %i %s', (status, body, code) => {
    const error = serverFailed(status, body, target('http://127.0.0.1:8000'))
    expect(error.code).toBe(code)
    expect(error.hint).not.toBe('')
  })

  test.each([
    [429, '{"error":"slow down"}', 'a is busy (HTTP 429): slow down.'],
    [429, '{"error":"Slow down!"}', 'a is busy (HTTP 429): Slow down!'],
    [500, '', 'a failed (HTTP 500).'],
  ])('HTTP %i %s ends as a sentence, because the hint follows', (status, body, message) => {
    expect(serverFailed(status, body, { ...target('http://x'), name: 'a' }).message).toBe(message)
  })

  test('are quoted up to a maximum length', () => {
    const error = serverFailed(500, JSON.stringify({ error: { message: 'boom '.repeat(1000) } }), target('http://x'))
    expect(error.message).toContain('boom boom')
    expect(error.message.length).toBeLessThan(800)
  })

  test.each([
    ['{"error":"a"}', 'a'],
    ['{"error":{"message":"b"}}', 'b'],
    ['{"message":"c"}', 'c'],
    ['{"detail":"d"}', 'd'],
    ['plain', 'plain'],
    ['', ''],
    ['{"detail":[{"msg":"e"}]}', '[{"msg":"e"}]'],
  ])('%s is parsed as %j', (body, text) => {
    expect(errorText(body)).toBe(text)
  })
})

test.each([
  ['openai', '127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['openai', ' http://host/v1/ ', 'http://host'],
  ['openai', 'http://host/v1/models', 'http://host'],
  ['openai', 'https://host/api/v1', 'https://host/api'],
  ['openai', 'http://host/proxy/v1/chat/completions', 'http://host/proxy'],
  ['ollama', 'localhost:11434/v1', 'http://localhost:11434'],
  ['ollama', 'http://host/ollama/api/chat', 'http://host/ollama'],
])('the root of %s %j is %s', (kind, baseUrl, root) => {
  expect(serverRoot({ kind, baseUrl })).toBe(root)
})

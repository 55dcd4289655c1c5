import { describe, expect, test } from 'vitest'
import { detectKind, discover, discoveredEndpoint, type DiscoveryPort } from './discovery.ts'
import { serve } from '../testing/modelServer.ts'

/** A server that answers these paths with JSON and everything else with 404. */
function answering(
  answers: Record<string, unknown>,
  other: { status: number; body: string } = { status: 404, body: '{"error":"not found"}' },
) {
  return serve((request, response, body) => {
    let found = answers[request.url ?? '']
    if (request.url === '/api/show')
      found = (answers['/api/show'] as Record<string, unknown> | undefined)?.[JSON.parse(body).model]
    if (found === undefined) response.writeHead(other.status, { 'content-type': 'application/json' }).end(other.body)
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
  })
}
const probe = (ports: DiscoveryPort[], env = {}) =>
  discover({ ports, env, budgetMs: 2000 }, new AbortController().signal)
const at = (server: DiscoveryPort['server'], port: number): DiscoveryPort => ({ server, name: server, port })

const ollamaAnswers = {
  '/api/version': { version: '0.20.0' },
  '/api/tags': { models: [{ name: 'qwen3:8b' }, { name: 'gemma:2b' }, { name: 'nomic-embed-text' }] },
  '/api/ps': { models: [{ name: 'qwen3:8b', context_length: 32_768 }] },
  '/api/show': {
    'qwen3:8b': { capabilities: ['completion', 'tools', 'thinking'], model_info: { 'qwen3.context_length': 40_960 } },
    'gemma:2b': { capabilities: ['completion', 'vision'], model_info: { 'gemma.context_length': 8192 } },
    'nomic-embed-text': { capabilities: ['embedding'], model_info: {} },
  },
  '/v1/models': { data: [{ id: 'qwen3:8b' }] },
}

describe('servers are identified by their responses', () => {
  test('Ollama, with the context size that requests will use and the capabilities of its models', async () => {
    const { port } = await answering(ollamaAnswers)
    const [found] = await probe([at('llamacpp', port)])
    expect(found).toEqual({
      endpoint: {
        id: `local-${port}`,
        name: 'Ollama',
        kind: 'ollama',
        baseUrl: `http://127.0.0.1:${port}`,
        hasKey: false,
      },
      reachable: true,
      discovered: true,
      server: 'Ollama',
      models: [
        {
          id: 'qwen3:8b',
          contextWindow: 32_768,
          tools: true,
          vision: false,
          reasoning: 'turn',
          loaded: true,
          loadedWindow: 32_768,
          trainedWindow: 40_960,
        },
        { id: 'gemma:2b', contextWindow: 8192, trainedWindow: 8192, tools: false, vision: true, loaded: false },
      ],
      embeddingModels: ['nomic-embed-text'],
    })
  })

  test('a server with nothing but embedding models, which is no problem', async () => {
    const { port } = await answering({ '/v1/models': { data: [{ id: 'bge-m3' }, { id: 'bge-reranker-base' }] } })
    const [found] = await probe([at('llamacpp', port)])
    expect(found).toMatchObject({ models: [], embeddingModels: ['bge-m3'] })
    expect(found).not.toHaveProperty('problem')
  })

  test('Ollama with a base model, which has no template and is for completion only', async () => {
    const plain = { template: '{{ .Prompt }}', capabilities: ['completion'] }
    const { port } = await answering({
      '/api/version': { version: '0.20.0' },
      '/api/tags': { models: [{ name: 'base' }, { name: 'rendered' }, { name: 'templated' }] },
      '/api/show': {
        base: plain,
        rendered: { ...plain, renderer: 'qwen3-coder' },
        templated: { ...plain, model_info: { 'tokenizer.chat_template': '{% for m in messages %}' } },
      },
    })
    const [found] = await probe([at('ollama', port)])
    expect(found).toMatchObject({ models: [{ id: 'rendered' }, { id: 'templated' }], baseModels: ['base'] })
  })

  test('a server with nothing but a base model says what it is', async () => {
    const { port } = await answering({
      '/api/version': { version: '0.20.0' },
      '/api/tags': { models: [{ name: 'base' }] },
      '/api/show': { base: { template: '{{ .Prompt }}', capabilities: ['completion'] } },
    })
    const [found] = await probe([at('ollama', port)])
    expect(found?.problem).toBe(
      'base is a base model without a chat template: it continues text but does not answer messages. Use it for code completion, and choose a chat or instruct model for conversations.',
    )
  })

  test('LM Studio, with loaded and maximum context sizes, embedding models apart', async () => {
    const { port } = await answering(
      {
        '/v1/models': { data: [{ id: 'a' }] },
        '/api/v0/models': {
          data: [
            {
              id: 'a',
              type: 'llm',
              state: 'loaded',
              max_context_length: 131_072,
              loaded_context_length: 4096,
              capabilities: ['tool_use'],
            },
            { id: 'b', type: 'vlm', state: 'not-loaded', max_context_length: 8192 },
            { id: 'e', type: 'embeddings', state: 'loaded', max_context_length: 512 },
          ],
        },
      },
      { status: 200, body: '{"error":"Unexpected endpoint or method."}' },
    )
    const [found] = await probe([at('lmstudio', port)])
    expect(found?.endpoint).toMatchObject({ name: 'LM Studio', kind: 'openai' })
    expect(found?.models).toEqual([
      { id: 'a', contextWindow: 4096, trainedWindow: 131_072, tools: true, vision: false, loaded: true },
      { id: 'b', contextWindow: 8192, trainedWindow: 8192, vision: true, loaded: false },
    ])
    expect(found?.embeddingModels).toEqual(['e'])
  })

  test('llama-server, with n_ctx and the number of slots from /props', async () => {
    const { port } = await answering({
      '/v1/models': { data: [{ id: 'model.gguf', owned_by: 'llamacpp' }] },
      '/props': {
        default_generation_settings: { n_ctx: 8192 },
        total_slots: 2,
        modalities: { vision: false },
        chat_template_caps: { supports_tools: false },
      },
    })
    const [found] = await probe([at('llamacpp', port)])
    expect(found?.models).toEqual([
      { id: 'model.gguf', contextWindow: 8192, tools: false, vision: false, loaded: true },
    ])
    expect(found).toMatchObject({ server: 'llama.cpp', slots: 2 })
    expect(found?.problem).toBeUndefined()
  })

  test('vLLM, with max_model_len', async () => {
    const { port } = await answering({
      '/v1/models': { data: [{ id: 'Qwen/Qwen3', owned_by: 'vllm', max_model_len: 32_768 }] },
    })
    const [found] = await probe([at('jan', port)])
    expect(found).toMatchObject({
      endpoint: { name: 'vLLM' },
      server: 'vLLM',
      models: [{ id: 'Qwen/Qwen3', contextWindow: 32_768 }],
    })
  })

  test('unrelated programs are not listed', async () => {
    const page = await serve(
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>hello'),
    )
    const json = await serve(
      (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"hello":1}'),
    )
    const guarded = await serve((_request, response) => void response.writeHead(403).end('Forbidden'))
    expect(await probe([at('llamacpp', page.port), at('vllm', json.port), at('llamacpp', guarded.port)])).toEqual([])
  })
})

describe('problems are reported with a hint', () => {
  test('no models', async () => {
    const { port } = await answering({ ...ollamaAnswers, '/api/tags': { models: [] } })
    expect((await probe([at('ollama', port)]))[0]?.problem).toMatch(/ollama pull/)
  })

  test('an API key is required', async () => {
    const { port } = await answering({}, { status: 401, body: '{"error":"unauthorized"}' })
    expect((await probe([at('jan', port)]))[0]).toMatchObject({
      reachable: true,
      models: [],
      problem: expect.stringMatching(/API key/),
    })
  })

  test('the model is still loading', async () => {
    const { port } = await answering({}, { status: 503, body: '{"error":{"message":"Loading model"}}' })
    expect((await probe([at('llamacpp', port)]))[0]?.problem).toMatch(/loading/)
  })
})

test('a server that never responds does not delay the others', async () => {
  const silent = await serve(() => {})
  const { port } = await answering(ollamaAnswers)
  const found = await discover(
    { ports: [at('vllm', silent.port), at('ollama', port)], budgetMs: 300 },
    new AbortController().signal,
  )
  expect(found.map((status) => status.endpoint.name)).toEqual(['Ollama'])
})

test('details that arrive too late are omitted', async () => {
  const { port } = await serve((request, response) => {
    const answer =
      request.url === '/api/version'
        ? { version: '1' }
        : request.url === '/api/tags'
          ? { models: [{ name: 'm' }] }
          : undefined
    if (answer) response.end(JSON.stringify(answer))
  })
  const found = await discover({ ports: [at('ollama', port)], budgetMs: 300 }, new AbortController().signal)
  expect(found[0]?.models).toEqual([{ id: 'm', contextWindow: 16_384, loaded: false }])
})

test.each([
  ['127.0.0.1:PORT', true],
  ['http://localhost:PORT/', true],
  ['0.0.0.0:PORT', true],
  [':PORT', true],
  ['[::1]:PORT', true],
  ['192.168.1.5:PORT', false],
  ['example.org:PORT', false],
  ['not an address', false],
])('OLLAMA_HOST=%s is probed: %s', async (value, counts) => {
  const { port } = await answering(ollamaAnswers)
  expect(await probe([], { OLLAMA_HOST: value.replace('PORT', String(port)) })).toHaveLength(counts ? 1 : 0)
})

test('the id of a discovered endpoint identifies it while its server is stopped too', () => {
  expect(discoveredEndpoint('local-11434')).toMatchObject({
    kind: 'ollama',
    name: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434',
  })
  expect(discoveredEndpoint('local-1234')).toMatchObject({ kind: 'openai', name: 'LM Studio' })
  expect(discoveredEndpoint('something-else')).toBeUndefined()
  expect(discoveredEndpoint('local-99999')).toBeUndefined()
})

test('detects whether an address belongs to Ollama', async () => {
  const signal = new AbortController().signal
  expect(await detectKind((await answering(ollamaAnswers)).url + '/v1', signal)).toBe('ollama')
  expect(await detectKind((await answering({ '/v1/models': { data: [] } })).url, signal)).toBe('openai')
})

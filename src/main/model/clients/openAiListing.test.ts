import { expect, test } from 'vitest'
import { detectKind, discover } from '../endpoints/discovery.ts'
import { listOpenAi } from './openAiListing.ts'
import { serve } from '../testing/modelServer.ts'

/** A server that answers these paths with JSON and everything else with 404. */
async function requestTo(answers: Record<string, unknown>) {
  const asked: string[] = []
  const { url } = await serve((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    response.writeHead(path in answers ? 200 : 404).end(JSON.stringify(answers[path] ?? { detail: 'Not Found' }))
  })
  const target = { name: 'Here', kind: 'openai' as const, baseUrl: url }
  return { asked, request: { root: url, target, signal: new AbortController().signal } }
}

test.each<[string, string | undefined, Record<string, unknown>, object]>([
  [
    'vLLM',
    'vllm',
    { '/v1/models': { data: [{ id: 'm', owned_by: 'vllm', max_model_len: 8192 }] } },
    { id: 'm', contextWindow: 8192 },
  ],
  [
    'SGLang with less memory than the context size',
    'sglang',
    {
      '/v1/models': { data: [{ id: 'm', owned_by: 'sglang', max_model_len: 131_072 }] },
      '/get_server_info': { max_total_num_tokens: 40_000 },
      '/get_model_info': { has_image_understanding: true },
    },
    { id: 'm', contextWindow: 40_000, vision: true },
  ],
  [
    'vLLM with a name of its own for the model',
    'vllm',
    { '/v1/models': { data: [{ id: 'house', owned_by: 'vllm', root: 'Qwen/Qwen3-8B' }] } },
    { id: 'house', originalName: 'Qwen3-8B' },
  ],
  [
    'llama-server with an alias',
    'llamacpp',
    {
      '/v1/models': { data: [{ id: 'kimi-for-coding' }] },
      '/props': {
        default_generation_settings: { n_ctx: 8192 },
        model_path: '/models/Kimi-K3-Q4.gguf',
        chat_template: '{{ message.reasoning_content }}',
        chat_template_caps: { supports_preserve_reasoning: true },
      },
    },
    {
      id: 'kimi-for-coding',
      contextWindow: 8192,
      originalName: 'Kimi-K3-Q4.gguf',
      reasoning: 'conversation',
      loaded: true,
    },
  ],
  [
    'Ollama through /v1, which truncates to the size of the loaded model',
    'ollama',
    {
      '/v1/models': { data: [{ id: 'm:latest', owned_by: 'library' }] },
      '/api/ps': { models: [{ name: 'm:latest', context_length: 8192 }] },
    },
    { id: 'm:latest', contextWindow: 8192, loaded: true, loadedWindow: 8192 },
  ],
  [
    'Ollama through /v1 before it loads the model, with its smallest default',
    'ollama',
    { '/v1/models': { data: [{ id: 'm:latest', owned_by: 'library' }] }, '/api/ps': { models: [] } },
    { id: 'm:latest', contextWindow: 4096, loaded: false },
  ],
  ['SGLang without details', 'sglang', { '/v1/models': { data: [{ id: 'm', owned_by: 'sglang' }] } }, { id: 'm' }],
  [
    'KoboldCpp',
    'koboldcpp',
    {
      '/v1/models': { data: [{ id: 'koboldcpp/m', owned_by: 'koboldcpp' }] },
      '/api/extra/true_max_context_length': { value: 12_288 },
      '/api/extra/version': { result: 'KoboldCpp', version: '1.100', vision: false },
    },
    { id: 'koboldcpp/m', contextWindow: 12_288, vision: false, loaded: true },
  ],
  [
    'Ray Serve',
    undefined,
    { '/v1/models': { data: [{ id: 'm', owned_by: 'org', metadata: { max_request_context_length: 4096 } }] } },
    { id: 'm', contextWindow: 4096 },
  ],
  [
    'a gateway that lists capabilities',
    undefined,
    {
      '/v1/models': {
        data: [
          {
            id: 'm',
            context_length: 9000,
            architecture: { input_modalities: ['text', 'image'] },
            supported_parameters: ['tools'],
          },
        ],
      },
    },
    { id: 'm', contextWindow: 9000, tools: true, vision: true },
  ],
])('%s', async (_name, server, answers, model) => {
  const { request } = await requestTo(answers)
  expect(await listOpenAi(request)).toEqual({ ...(server && { server }), models: [model] })
})

test.each([
  ['a base model, which has no chat template and does not know the marks of ChatML', [1, 2, 3], 'base'],
  ['a model that knows the marks of ChatML', [7], 'chat'],
])('llama-server with %s', async (_, tokens, kind) => {
  // As llama-server b11434 answers for Gemma 3 270M and for SmolLM2.
  const template =
    "{%- for message in messages -%}\n  {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' -}}\n{%- endfor -%}"
  const { request } = await requestTo({
    '/v1/models': { data: [{ id: 'm', meta: { n_params: 268_098_176 } }] },
    '/props': { default_generation_settings: { n_ctx: 8192 }, chat_template: template },
    '/tokenize': { tokens },
  })
  const { models, baseModels } = await listOpenAi(request)
  expect({ models: models.map(({ id }) => id), baseModels }).toEqual(
    kind === 'base' ? { models: [], baseModels: ['m'] } : { models: ['m'], baseModels: undefined },
  )
})

test('a llama-server router reads loaded models by their properties and others by their arguments, without loading any', async () => {
  const { request, asked } = await requestTo({
    '/v1/models': {
      data: [
        { id: 'org/a', status: { value: 'loaded', args: ['llama-server', '-c', '4096'] } },
        { id: 'b', status: { value: 'unloaded', args: ['llama-server', '--ctx-size', '8192'] } },
        { id: 'c', status: { value: 'unloaded' } },
      ],
    },
    '/props': { role: 'router', default_generation_settings: { n_ctx: 0 } },
    '/props?model=org%2Fa&autoload=false': {
      default_generation_settings: { n_ctx: 6144 },
      modalities: { vision: true },
    },
  })
  expect((await listOpenAi(request)).models).toEqual([
    { id: 'org/a', contextWindow: 6144, vision: true, loaded: true },
    { id: 'b', contextWindow: 8192, loaded: false },
    { id: 'c', loaded: false },
  ])
  expect(asked.filter((path) => path.includes('model=') && !path.includes('autoload=false'))).toEqual([])
})

test('KoboldCpp, which emulates Ollama too, is detected', async () => {
  const answers = {
    '/api/version': { version: '0.7.0' },
    '/api/tags': { models: [{ name: 'm' }] },
    '/v1/models': { data: [{ id: 'koboldcpp/m', owned_by: 'koboldcpp' }] },
    '/api/extra/version': { result: 'KoboldCpp' },
  }
  const { request } = await requestTo(answers)
  const { signal } = request
  expect(await detectKind(request.root, signal)).toBe('openai')
  const port = { server: 'ollama' as const, name: 'x', port: Number(new URL(request.root).port) }
  expect(await discover({ ports: [port], budgetMs: 2000 }, signal)).toMatchObject([
    { endpoint: { name: 'KoboldCpp', kind: 'openai' } },
  ])
})

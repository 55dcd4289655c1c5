import { createServer } from 'node:http'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createFileSecretStore } from '../../settings/secretStore.ts'
import { createSettingsStore } from '../../settings/settingsStore.ts'
import type { DiscoveryPort } from './discovery.ts'
import { createEndpoints, tourEndpointId, tourModel } from './endpoints.ts'
import { answer, say } from '../scripted/scenario.ts'
import { startScriptedEndpoint } from '../scripted/scriptedEndpoint.ts'
import { localServers } from '../transport/localServers.ts'
import { chatRequest, collect, delta, modelError, serve } from '../testing/modelServer.ts'

const signal = new AbortController().signal

async function scripted(model = 'm', contextWindow?: number) {
  const endpoint = await startScriptedEndpoint({
    name: 's',
    model,
    contextWindow,
    turns: [{ prompt: /./, steps: [{ title: 'a', play: () => answer(say('hi')) }] }],
  })
  onTestFinished(() => endpoint.close())
  return endpoint
}

async function setUp(ports: DiscoveryPort[] = [], env = {}, textPrompt = () => '') {
  const folder = await mkdtemp(join(tmpdir(), 'tizona-endpoints-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const notice = (message: string) => {
    throw new Error(message)
  }
  const settings = await createSettingsStore(folder, notice)
  const secrets = await createFileSecretStore(folder, notice)
  const endpoints = createEndpoints({ settings, secrets, discovery: { ports, budgetMs: 2000, env }, textPrompt })
  onTestFinished(() => endpoints.dispose())
  return { folder, settings, secrets, endpoints }
}
const draft = (baseUrl: string) => ({ name: 'Mine', kind: 'openai' as const, baseUrl, hasKey: false })

describe('a configured endpoint', () => {
  test('lists which models it uses in guided turns: by size and server, and as set by the user', async () => {
    const { url } = await serve((request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.url !== '/api/tags') return void response.end('{"capabilities":["completion","tools"]}')
      response.end(JSON.stringify({ models: [{ name: 'smollm2:135m' }, { name: 'qwen3:0.6b' }, { name: 'qwen3:8b' }] }))
    })
    const { endpoints } = await setUp()
    const models = { 'qwen3:0.6b': { calls: 'native' as const } }
    const options = { name: 'Ollama', kind: 'ollama' as const, baseUrl: url, hasKey: false, models }
    const { endpoint } = await endpoints.save(options, undefined, signal)
    const [status] = await endpoints.list({ probe: true }, signal)
    expect(status?.models.filter(({ guided }) => guided).map(({ id }) => id)).toEqual(['smollm2:135m'])
    for (const { id, guided } of status?.models ?? [])
      expect('guided' in (await endpoints.model({ endpointId: endpoint.id, model: id }))).toBe(guided === true)
    const other = await scripted('smollm2:135m')
    await endpoints.save(draft(`${other.url}/v1`), undefined, signal)
    const plain = (await endpoints.list({ probe: true }, signal)).find(({ endpoint: { kind } }) => kind === 'openai')
    expect(plain?.models).toMatchObject([{ id: 'smollm2:135m' }])
    expect(plain?.models[0]?.guided).toBeUndefined()
  })

  test('is saved, queried, listed, used and removed', async () => {
    const server = await scripted('m', 9000)
    const { endpoints, settings } = await setUp()
    const saved = await endpoints.save(draft(`${server.url}/v1`), undefined, signal)
    expect(saved).toMatchObject({ reachable: true, discovered: false, models: [{ id: 'm', contextWindow: 9000 }] })
    const { id } = saved.endpoint
    expect(settings.get().endpoints).toEqual([saved.endpoint])
    expect(await endpoints.list({ probe: true }, signal)).toEqual([saved])
    expect(await collect(endpoints.client(id))).toContainEqual({ kind: 'text', text: 'hi' })
    expect((await endpoints.model({ endpointId: id, model: 'm' })).contextWindow).toBe(9000)
    expect(endpoints.defaultModel()).toEqual({ endpointId: id, model: 'm' })
    const choice = { endpointId: id, model: 'm' }
    await settings.set({ model: choice, smallModel: choice, subAgentModel: choice, embeddings: choice })
    await endpoints.remove(id)
    expect(settings.get()).toMatchObject({ endpoints: [], smallModel: null, subAgentModel: null, embeddings: null })
    expect(settings.get().model).toBeUndefined()
    expect(await endpoints.list({ probe: false }, signal)).toEqual([])
    expect(() => endpoints.client(id)).toThrow(/no longer exists/)
  })

  test('shares what one client learned from a rejected request with the next client', async () => {
    const requests: unknown[] = []
    const { url } = await serve((request, response, body) => {
      if (request.url !== '/v1/chat/completions') return response.writeHead(404).end()
      const { tools } = JSON.parse(body) as { tools?: unknown }
      requests.push(tools)
      if (tools) return response.writeHead(400).end(JSON.stringify({ error: 'm does not support tools' }))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.end(`data: ${JSON.stringify(delta({ content: 'hi' }, 'stop'))}\n\ndata: [DONE]\n\n`)
    })
    const { endpoints } = await setUp([], {}, () => 'Tools: read_file.')
    const { endpoint } = await endpoints.save(draft(url), undefined, signal)
    const request = chatRequest({ tools: [{ name: 'read_file', description: '', parameters: {} }] })
    await collect(endpoints.client(endpoint.id), request)
    await collect(endpoints.client(endpoint.id), request)
    expect(requests.map(Boolean)).toEqual([true, false, false])
  })

  test.each([
    [{ kind: 'gguf', baseUrl: '/models/m.gguf' }, true],
    [{ kind: 'openai', baseUrl: 'http://127.0.0.1:8080/v1' }, true],
    [{ kind: 'openai', baseUrl: 'http://127.0.0.1:8080/v1', on: 'desktop' }, false],
    [{ kind: 'openai', baseUrl: 'http://gpu.example:8080' }, false],
  ] as const)('%j is on this machine: %s', async (where, local) => {
    const { endpoints, settings } = await setUp()
    await settings.set({ endpoints: [{ id: 'e', name: 'E', hasKey: false, ...where }] })
    expect(endpoints.server('e').local).toBe(local)
  })

  test('is queried once for a model that was prepared, also for the next turns', async () => {
    let lists = 0
    const server = await serve((request, response) => {
      if (request.url === '/v1/models') lists++
      response.end(JSON.stringify({ data: [{ id: 'm', max_model_len: 9000 }] }))
    })
    const { endpoints, settings } = await setUp()
    await settings.set({ endpoints: [{ ...draft(server.url), id: 'e' }] })
    const choice = { endpointId: 'e', model: 'm' }
    void endpoints.prepare(choice)
    expect((await endpoints.model(choice)).contextWindow).toBe(9000)
    expect(lists).toBe(1)
    await endpoints.model(choice)
    expect(lists).toBe(1)
  })

  test('keeps its context size, whatever the server reports', async () => {
    const server = await scripted('m', 9000)
    const { endpoints } = await setUp()
    const { endpoint, models } = await endpoints.save({ ...draft(server.url), contextWindow: 5000 }, undefined, signal)
    expect(models).toEqual([{ id: 'm', contextWindow: 5000 }])
    expect((await endpoints.model({ endpointId: endpoint.id, model: 'unheard of' })).contextWindow).toBe(5000)
  })

  test('with a single listed model has its context size under any name', async () => {
    const { url } = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const props = { default_generation_settings: { n_ctx: 16_384 }, chat_template_caps: { supports_tools: true } }
      response.end(
        JSON.stringify(
          request.url === '/props'
            ? props
            : request.url === '/v1/models'
              ? { data: [{ id: '/models/qwen.gguf' }] }
              : {},
        ),
      )
    })
    const { endpoints } = await setUp()
    const { endpoint } = await endpoints.save(draft(url), undefined, signal)
    expect((await endpoints.model({ endpointId: endpoint.id, model: 'qwen3' })).contextWindow).toBe(16_384)
    expect(endpoints.modelInfo({ endpointId: endpoint.id, model: 'qwen3' })).toMatchObject({ id: 'qwen3', tools: true })
  })

  test('is listed with a hint while its server is stopped', async () => {
    const { url, server } = await serve(() => {})
    await new Promise((resolve) => server.close(resolve))
    const { endpoints } = await setUp()
    expect(await endpoints.save(draft(url), undefined, signal)).toMatchObject({
      reachable: false,
      models: [],
      problem: expect.stringMatching(/Start the model server/),
    })
  })

  test.each(['ftp://host', 'http://', 'a b c'])('requires an address, not %s', async (baseUrl) => {
    const { endpoints } = await setUp()
    await expect(endpoints.save(draft(baseUrl), undefined, signal)).rejects.toMatchObject({ code: 'invalid_arguments' })
  })
})

describe('a key', () => {
  test('is sent to its server, and is neither in the settings nor in any response', async () => {
    const server = await scripted()
    const { endpoints, folder } = await setUp()
    const saved = await endpoints.save(draft(server.url), 's3cret', signal)
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer s3cret')
    expect(saved.endpoint.hasKey).toBe(true)
    expect(JSON.stringify([saved, await endpoints.list({ probe: true }, signal)])).not.toContain('s3cret')
    expect(await readFile(join(folder, 'settings.json'), 'utf8')).not.toContain('s3cret')
  })

  test('is kept when the endpoint is saved again, and deleted when it is cleared', async () => {
    const server = await scripted()
    const { endpoints, secrets } = await setUp()
    const { endpoint } = await endpoints.save(draft(server.url), 's3cret', signal)
    expect((await endpoints.save({ ...endpoint, name: 'Other' }, undefined, signal)).endpoint.hasKey).toBe(true)
    expect((await endpoints.save(endpoint, '', signal)).endpoint.hasKey).toBe(false)
    expect(await secrets.get(endpoint.id)).toBeUndefined()
  })

  test('is never sent to a changed address, when saved or tested', async () => {
    const [mine, thief] = [await scripted(), await scripted()]
    const { endpoints, secrets } = await setUp()
    const { endpoint } = await endpoints.save(draft(mine.url), 's3cret', signal)
    await endpoints.test({ ...endpoint, baseUrl: thief.url }, undefined, signal)
    const moved = await endpoints.save({ ...endpoint, baseUrl: thief.url }, undefined, signal)
    expect(moved.endpoint.hasKey).toBe(false)
    expect(await secrets.get(endpoint.id)).toBeUndefined()
    expect(thief.requests.map((request) => request.headers.authorization)).not.toContain('Bearer s3cret')
  })

  test('is used in a test of an endpoint that is not saved', async () => {
    const server = await scripted()
    const { endpoints, settings } = await setUp()
    expect(await endpoints.test(draft(server.url), 'k', signal)).toMatchObject({ reachable: true })
    expect(server.requests.every((request) => request.headers.authorization === 'Bearer k')).toBe(true)
    expect(settings.get().endpoints).toEqual([])
  })
})

describe('discovered servers', () => {
  test('are listed once, after the configured ones', async () => {
    const [one, two] = [await scripted('one'), await scripted('two')]
    const ports = [one, two].map(({ url }) => ({
      server: 'vllm' as const,
      name: 'vLLM',
      port: Number(new URL(url).port),
    }))
    const { endpoints } = await setUp(ports)
    expect((await endpoints.list({ probe: false }, signal)).map((status) => status.discovered)).toEqual([true, true])
    await endpoints.save(draft(two.url.replace('127.0.0.1', 'localhost')), undefined, signal)
    expect(
      (await endpoints.list({ probe: true }, signal)).map((status) => [status.discovered, status.models[0]?.id]),
    ).toEqual([
      [false, 'two'],
      [true, 'one'],
    ])
  })

  test('can be used before they were probed', async () => {
    const server = await scripted('one', 700)
    const { endpoints } = await setUp([{ server: 'vllm', name: 'vLLM', port: Number(new URL(server.url).port) }])
    const ready = await endpoints.model({ endpointId: `local-${new URL(server.url).port}`, model: 'one' })
    expect(ready.contextWindow).toBe(700)
    expect(await collect(ready.client)).toContainEqual({ kind: 'text', text: 'hi' })
  })

  test('appear when they start and disappear when they stop, and polling repeats no request', async () => {
    const { port, server } = await serve(() => {})
    await new Promise((resolve) => server.close(resolve))
    const { endpoints } = await setUp([{ server: 'llamacpp', name: 'llama.cpp', port }])
    const heard: string[][] = []
    endpoints.onChanged((statuses) => heard.push(statuses.flatMap(({ models }) => models.map(({ id }) => id))))
    await endpoints.poll()
    expect(endpoints.cachedStatuses()).toEqual([])
    let asked = 0
    const late = createServer((request, response) => {
      asked += 1
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(request.url === '/v1/models' ? '{"data":[{"id":"late"},{"id":"nomic-embed-text"}]}' : '{}')
    })
    await new Promise<void>((resolve) => late.listen(port, '127.0.0.1', resolve))
    onTestFinished(() => void late.close())
    await endpoints.poll()
    expect(heard).toEqual([['late']])
    expect(endpoints.defaultModel()).toEqual({ endpointId: `local-${port}`, model: 'late' })
    const before = asked
    await endpoints.poll()
    expect(asked).toBe(before)
    late.closeAllConnections()
    await new Promise((resolve) => late.close(resolve))
    await endpoints.poll()
    expect(heard).toEqual([['late'], []])
  })

  test('are not listed if discovery is disabled', async () => {
    const server = await scripted()
    const { endpoints } = await setUp([{ server: 'vllm', name: 'vLLM', port: Number(new URL(server.url).port) }], {
      TIZONA_NO_DISCOVERY: '1',
    })
    expect(await endpoints.list({ probe: true }, signal)).toEqual([])
    await endpoints.poll()
    expect(endpoints.cachedStatuses()).toEqual([])
    expect(server.requests).toEqual([])
  })

  test('listeners are notified when the list changes', async () => {
    const server = await scripted()
    const { endpoints } = await setUp()
    const heard: number[] = []
    endpoints.onChanged((statuses) => heard.push(statuses.length))
    await endpoints.save(draft(server.url), undefined, signal)
    expect(heard).toEqual([1])
  })
})

test('the tour is listed after every real endpoint', async () => {
  const server = await scripted()
  const { endpoints } = await setUp()
  endpoints.setTour(server.url)
  await endpoints.save(draft((await scripted('mine')).url), undefined, signal)
  expect(endpoints.cachedStatuses().map(({ endpoint }) => endpoint.kind)).toEqual(['openai', 'tour'])
})

test('both ports of llama-server are probed', () => {
  expect(localServers.filter(({ server }) => server === 'llamacpp').map(({ port }) => port)).toEqual([8080, 9931])
})

test('the tour is listed only while it runs', async () => {
  const server = await scripted()
  const { endpoints } = await setUp()
  endpoints.setTour(server.url)
  expect(await endpoints.list({ probe: false }, signal)).toMatchObject([
    { endpoint: { id: tourEndpointId, kind: 'tour' }, reachable: true, models: [tourModel] },
  ])
  expect(endpoints.defaultModel()).toBeUndefined()
  expect(await collect(endpoints.client(tourEndpointId))).toContainEqual({ kind: 'text', text: 'hi' })
  endpoints.setTour(undefined)
  expect(await endpoints.list({ probe: false }, signal)).toEqual([])
  expect((await modelError(endpoints.model({ endpointId: tourEndpointId, model: 'x' }))).code).toBe('unreachable')
  await expect(endpoints.save({ ...draft(server.url), kind: 'tour' }, undefined, signal)).rejects.toMatchObject({
    code: 'invalid_arguments',
  })
})

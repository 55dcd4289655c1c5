import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Endpoint } from '../../../shared/settings/settings.ts'
import { createFileSecretStore } from '../../settings/secretStore.ts'
import { createSettingsStore } from '../../settings/settingsStore.ts'
import { createEndpoints } from './endpoints.ts'
import { probeEndpoint, createEndpointClient, testEndpoint } from './endpointClient.ts'
import { answer, say } from '../scripted/scenario.ts'
import { startScriptedEndpoint } from '../scripted/scriptedEndpoint.ts'
import { chatRequest, collect, serve, serveEvents, textOf } from '../testing/modelServer.ts'

const signal = new AbortController().signal

// A certificate for this test only, for 127.0.0.1, valid until 2126. It is used nowhere else.
const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUuA/6ti0ZVVD6Y/v
pD+XPjwMyAk10gZzrwlZvUJFlOOhRANCAAQLlnU78nJ9Ighlvk9UpWLvt8/u+Uyf
hh4xamKqOplf/1SO1BJAQhKJcbubIqp8fvRF1TLFiSyS8Dzviy1q0rgq
-----END PRIVATE KEY-----
`
const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBjzCCATagAwIBAgIUAoIJb5VPkfIWSlEFMCcD8FcUeoUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMTA0NDczMloYDzIxMjYxMDI4
MDQ0NzMyWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQLlnU78nJ9Ighlvk9UpWLvt8/u+Uyfhh4xamKqOplf/1SO1BJAQhKJ
cbubIqp8fvRF1TLFiSyS8Dzviy1q0rgqo2QwYjAdBgNVHQ4EFgQUdIpdlnnYoIkZ
hn/yjtPZ0jKcgwMwHwYDVR0jBBgwFoAUdIpdlnnYoIkZhn/yjtPZ0jKcgwMwDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0cAMEQC
IE1xqxx1oub3nEp9/EkbWx1Ywo87m04SuUVUm7wD/d16AiAtfcmMjDmpK07nOqwB
kBTDg7FbwNfn1+Hvq125kInvHQ==
-----END CERTIFICATE-----
`

async function temporary() {
  const folder = await mkdtemp(join(tmpdir(), 'tizona-reach-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const endpointAt = (baseUrl: string, change: Partial<Endpoint> = {}): Endpoint => ({
  id: 'e',
  name: 'Mine',
  kind: 'openai',
  baseUrl,
  hasKey: false,
  ...change,
})
const access = (endpoint: Endpoint, headers = {}) => ({ endpoint, credentials: () => Promise.resolve({ headers }) })

describe('extra headers', () => {
  async function setUp() {
    const folder = await temporary()
    const notice = (message: string) => {
      throw new Error(message)
    }
    const settings = await createSettingsStore(folder, notice)
    const secrets = await createFileSecretStore(folder, notice)
    const endpoints = createEndpoints({ settings, secrets, discovery: false })
    onTestFinished(() => endpoints.dispose())
    const server = await startScriptedEndpoint({
      name: 's',
      model: 'm',
      turns: [{ prompt: /./, steps: [{ title: 'a', play: () => answer(say('hi')) }] }],
    })
    onTestFinished(() => server.close())
    const draft = {
      name: 'Mine',
      kind: 'openai' as const,
      baseUrl: server.url,
      hasKey: false,
      headers: ['X-Team'],
      headerValues: { 'X-Team': 's3cret' },
    }
    return { folder, endpoints, secrets, server, draft }
  }

  test('are sent with every request, and their values are neither in the settings nor in any response', async () => {
    const { folder, endpoints, server, draft } = await setUp()
    const saved = await endpoints.save(draft, undefined, signal)
    await collect(endpoints.client(saved.endpoint.id))
    expect(server.requests.map((request) => request.headers['x-team'])).toEqual(server.requests.map(() => 's3cret'))
    expect(saved.endpoint.headers).toEqual(['X-Team'])
    expect(JSON.stringify([saved, await endpoints.list({ probe: true }, signal)])).not.toContain('s3cret')
    expect(await readFile(join(folder, 'settings.json'), 'utf8')).not.toContain('s3cret')
  })

  test('keep their values when the endpoint is saved again, and lose them when it is removed', async () => {
    const { endpoints, secrets, server, draft } = await setUp()
    const { endpoint } = await endpoints.save(draft, undefined, signal)
    await endpoints.save({ ...endpoint, name: 'Other' }, undefined, signal)
    await collect(endpoints.client(endpoint.id))
    expect(server.requests.at(-1)?.headers['x-team']).toBe('s3cret')
    await endpoints.remove(endpoint.id)
    expect(await secrets.get(`${endpoint.id}/headers`)).toBeUndefined()
  })

  test('are never sent to a changed address', async () => {
    const { endpoints, draft } = await setUp()
    const { endpoint } = await endpoints.save(draft, undefined, signal)
    const moved = { ...endpoint, baseUrl: 'http://127.0.0.1:9' }
    await expect(endpoints.test(moved, undefined, signal)).rejects.toMatchObject({ code: 'invalid_arguments' })
    await expect(endpoints.save(moved, undefined, signal)).rejects.toMatchObject({ code: 'invalid_arguments' })
  })

  test('override the key with a header named Authorization', async () => {
    const { server, draft } = await setUp()
    const credentials = { key: 'k', headers: { Authorization: 'Basic abc' } }
    await probeEndpoint(
      { endpoint: endpointAt(draft.baseUrl), credentials: () => Promise.resolve(credentials) },
      signal,
    )
    expect(server.requests.at(-1)?.headers.authorization).toBe('Basic abc')
  })
})

describe('an https server with an unknown certificate authority', () => {
  async function secureServer() {
    const server = createServer({ key: testKey, cert: testCertificate }, (_request, response) =>
      response.end('{"data":[{"id":"m"}]}'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(async () => {
      await new Promise((resolve) => server.close(resolve))
    })
    // A listening server on a port has an address object.
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  test('is rejected with a hint, and responds once its certificate is set', async () => {
    const url = await secureServer()
    expect(await probeEndpoint(access(endpointAt(url)), signal)).toMatchObject({
      reachable: false,
      problem: expect.stringMatching(/not trusted.*PEM file.*under Advanced/),
    })
    const caFile = join(await temporary(), 'ca.pem')
    await writeFile(caFile, testCertificate)
    expect(await probeEndpoint(access(endpointAt(url, { caFile })), signal)).toMatchObject({
      reachable: true,
      models: [{ id: 'm' }],
    })
  })

  test.each([
    ['does not exist', 'ca.pem', undefined, /cannot be used \(ENOENT/],
    ['contains a damaged certificate', 'ca.pem', testCertificate.replace('MIIB', 'MIIC'), /cannot be used/],
    ['contains no certificate', 'ca.pem', 'hello', /does not contain a certificate/],
  ])('is reported if the file %s', async (_name, name, text, problem) => {
    const caFile = join(await temporary(), name)
    if (text !== undefined) await writeFile(caFile, text)
    expect(await probeEndpoint(access(endpointAt('https://127.0.0.1:9', { caFile })), signal)).toMatchObject({
      reachable: false,
      problem: expect.stringMatching(problem),
    })
  })
})

test.skipIf(process.platform === 'win32')(
  'a certificate file that is a device, which never ends, is reported',
  async () => {
    const endpoint = endpointAt('https://127.0.0.1:9', { caFile: '/dev/zero' })
    expect(await probeEndpoint(access(endpoint), signal)).toMatchObject({
      reachable: false,
      problem: expect.stringContaining('/dev/zero is not a regular file'),
    })
  },
)

describe("a model's options", () => {
  const options = {
    think: 'off' as const,
    temperature: 0.7,
    topP: 0.9,
    maxTokens: 500,
    keepAlive: '30m',
    extraBody: { top_k: 40, model: 'another', messages: [], options: { num_gpu: 1 } },
  }

  test('are sent to an OpenAI-compatible server for that model only, and cannot change the conversation', async () => {
    const bodies: Record<string, unknown>[] = []
    const { url } = await serve((_request, response, body) => {
      bodies.push(JSON.parse(body))
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    })
    const client = createEndpointClient(access(endpointAt(url, { models: { m: options } })))
    expect(textOf(await collect(client))).toBe('hi')
    await collect(client, chatRequest({ model: 'other' }))
    expect(bodies[0]).toMatchObject({
      model: 'm',
      temperature: 0.7,
      top_p: 0.9,
      max_tokens: 500,
      top_k: 40,
      chat_template_kwargs: { enable_thinking: false, thinking: false },
      messages: [{ role: 'user', content: 'hello' }],
    })
    expect(bodies[1]).not.toHaveProperty('top_p')
    expect(bodies[1]).toMatchObject({ model: 'other', temperature: 0.2 })
  })

  test("are sent in Ollama's own format", async () => {
    const bodies: unknown[] = []
    const { url } = await serve((_request, response, body) => {
      bodies.push(JSON.parse(body))
      response.end('{"message":{"content":"hi"},"done":true,"done_reason":"stop"}\n')
    })
    await collect(
      createEndpointClient(access(endpointAt(url, { kind: 'ollama', contextWindow: 9000, models: { m: options } }))),
    )
    expect(bodies[0]).toMatchObject({
      model: 'm',
      think: false,
      keep_alive: '30m',
      top_k: 40,
      options: { num_ctx: 9000, temperature: 0.7, top_p: 0.9, num_predict: 500, num_gpu: 1 },
    })
  })

  test.each([
    ['auto', undefined],
    ['on', true],
    ['high', 'high'],
  ] as const)('sends thinking "%s" to Ollama as %s', async (think, sent) => {
    const bodies: Record<string, unknown>[] = []
    const { url } = await serve((_request, response, body) => {
      bodies.push(JSON.parse(body))
      response.end('{"message":{"content":"hi"},"done":true}\n')
    })
    await collect(
      createEndpointClient(access(endpointAt(url, { kind: 'ollama', models: { m: { think, keepAlive: '-1' } } }))),
    )
    expect(bodies[0]).toMatchObject({ keep_alive: -1 })
    expect(bodies[0]?.['think']).toBe(sent)
  })

  test('override the context size and capabilities that the server reports', async () => {
    const { url } = await serve((request, response) => {
      response
        .writeHead(request.url === '/v1/models' ? 200 : 404)
        .end('{"data":[{"id":"m","max_model_len":32768},{"id":"n","max_model_len":32768}]}')
    })
    const models = { m: { contextWindow: 8192, vision: true, tools: false } }
    expect((await probeEndpoint(access(endpointAt(url, { models })), signal)).models).toEqual([
      { id: 'm', contextWindow: 8192, vision: true, tools: false },
      { id: 'n', contextWindow: 32_768 },
    ])
  })
})

test("a silent server times out after the time in the endpoint's settings", async () => {
  const { url } = await serve(() => undefined)
  const client = createEndpointClient(access(endpointAt(url, { patience: { answer: 0.05 } })))
  await expect(collect(client)).rejects.toMatchObject({ code: 'timeout' })
})

test('Ollama set up as an OpenAI-compatible endpoint is detected, with a hint', async () => {
  const { url } = await serve((request, response) => {
    response
      .writeHead(request.url === '/v1/models' ? 200 : 404)
      .end('{"data":[{"id":"qwen3:8b","owned_by":"library"}]}')
  })
  expect(await probeEndpoint(access(endpointAt(url)), signal)).toMatchObject({
    server: 'Ollama',
    models: [{ id: 'qwen3:8b' }],
    problem: expect.stringMatching(/Set the API/),
  })
})

test('a server that counts tokens is detected when the user tests it, and not asked otherwise', async () => {
  const paths: (string | undefined)[] = []
  const counting = await serve((request, response) => {
    paths.push(request.url)
    response.end(JSON.stringify(request.url === '/tokenize' ? { count: 5 } : { data: [{ id: 'm', owned_by: 'vllm' }] }))
  })
  expect(await probeEndpoint(access(endpointAt(counting.url)), signal)).not.toHaveProperty('countsTokens')
  expect(paths).not.toContain('/tokenize')
  expect(await testEndpoint(access(endpointAt(counting.url)), signal)).toMatchObject({
    server: 'vLLM',
    countsTokens: true,
  })
  const plain = await serveEvents()
  expect(await testEndpoint(access(endpointAt(plain.url)), signal)).toMatchObject({ countsTokens: false })
})

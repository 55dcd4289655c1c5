import { expect, test } from 'vitest'
import type { ModelCheck } from '../../shared/models/firstSteps.ts'
import type { EndpointStatus } from '../../shared/settings/settings.ts'
import type { Core } from './coreContract.ts'
import { nodeFinding } from './examineInstallation.ts'
import { modelServerFindings } from './examineModelServers.ts'

const { signal } = new AbortController()
const model = { id: 'm', contextWindow: 32_768, tools: true }

function findingsOf(status: Partial<EndpointStatus>, check?: Partial<ModelCheck>) {
  const endpoint = { id: 'e', name: 'Server', kind: 'openai' as const, baseUrl: 'http://127.0.0.1:8080', hasKey: false }
  const handlers = {
    'endpoints.list': () =>
      Promise.resolve([{ endpoint, reachable: true, models: [model], discovered: false, ...status }]),
    'models.check': () => Promise.resolve({ calls: 'native', firstAnswerMs: 1, totalMs: 1, ...check }),
  }
  // Nothing else is used.
  return modelServerFindings({ handlers } as unknown as Core, check !== undefined, signal)
}

test('a server that keeps everything has one line', async () => {
  expect(await findingsOf({ server: 'llama.cpp' })).toMatchObject([{ name: 'Server', state: 'ok' }])
})

test.each([
  ['llama.cpp', { tools: false }, /start llama-server with such a template \(`--chat-template-file FILE`\)/],
  ['llama.cpp', { tools: undefined }, /Start llama-server with `--jinja`/],
  ['vLLM', { tools: undefined }, /Start vLLM with `--enable-auto-tool-choice --tool-call-parser NAME`/],
  ['SGLang', { tools: undefined }, /Start SGLang with `--tool-call-parser NAME`/],
])('tools that %s drops are known without a generation, with the flag: %j', async (server, change, fix) => {
  const [, tools] = await findingsOf({ server, models: [{ ...model, ...change } as typeof model] })
  expect(tools).toMatchObject({ name: 'Server, tools', state: 'missing', fix: expect.stringMatching(fix) })
})

const ollama = { id: 'e', name: 'Server', kind: 'ollama' as const, baseUrl: 'http://127.0.0.1:11434', hasKey: false }

test('a model without the capability is named with one that has it', async () => {
  const [, tools] = await findingsOf({ endpoint: ollama, server: 'Ollama', models: [{ ...model, tools: false }] })
  expect(tools?.fix).toContain('ollama pull qwen3')
})

test.each([
  [{ server: 'Ollama' }, /Add this server as an Ollama endpoint/],
  [{ server: 'llama.cpp', models: [{ ...model, contextWindow: 8192, trainedWindow: 40_960 }] }, /`-c 32768`/],
  [{ endpoint: ollama, server: 'Ollama', models: [{ ...model, contextWindow: 8192 }] }, /num_ctx/],
])('what %j cuts off has the option that changes it', async (status, fix) => {
  const findings = await findingsOf(status)
  expect(findings.find(({ name }) => name === 'Server, context')?.fix).toMatch(fix)
})

test('a context that is as large as the model was trained for has no advice', async () => {
  const small = { ...model, contextWindow: 8192, trainedWindow: 8192 }
  expect(await findingsOf({ server: 'llama.cpp', models: [small] })).toHaveLength(1)
})

test('a server that dropped the tools of a question is named with its flag', async () => {
  const hint = 'Start vLLM with `--enable-auto-tool-choice --tool-call-parser NAME`.'
  expect(await findingsOf({ server: 'vLLM' }, { calls: 'text', hint })).toMatchObject([{ state: 'ok', fix: hint }])
  expect(await findingsOf({ server: 'vLLM' }, { calls: 'none', hint })).toMatchObject([{ state: 'wrong', fix: hint }])
})

test('a server that does not respond has a command that starts it', async () => {
  const [stopped] = await findingsOf({ reachable: false, models: [] })
  expect(stopped).toMatchObject({ state: 'wrong', fix: expect.stringContaining('llama-server -m MODEL.gguf') })
})

test('a problem is not followed by its own advice again', async () => {
  const start = 'Start llama-server (`llama-server -m MODEL.gguf --jinja`), or correct the address in the settings.'
  const [refused] = await findingsOf({ reachable: false, models: [], problem: `It refused the connection. ${start}` })
  expect(refused).toMatchObject({ detail: 'It refused the connection.', fix: start })
  const key = 'It rejected the API key. Enter the API key of this endpoint in the settings.'
  const [wrongKey] = await findingsOf({ reachable: false, models: [], problem: key })
  expect(wrongKey).toEqual({ group: 'Model servers', name: 'Server', state: 'wrong', detail: key })
})

test.each([
  ['20.19.5', 'wrong'],
  ['22.21.0', 'wrong'],
  ['24.21.0', 'ok'],
  ['26.1.0', 'ok'],
])('Node.js %s is %s', (version, state) => {
  expect(nodeFinding(version)).toMatchObject({
    state,
    ...(state === 'wrong' && { fix: expect.stringMatching(/npm ci/) }),
  })
})

import { expect, test } from 'vitest'
import { firstUsableModel, noModelReason } from './firstUsableModel.ts'
import type { EndpointStatus } from '../settings/settings.ts'

const status = (
  id: string,
  models: EndpointStatus['models'],
  change: Partial<EndpointStatus> = {},
): EndpointStatus => ({
  endpoint: { id, name: id, kind: 'openai', baseUrl: `http://${id}`, hasKey: false },
  reachable: true,
  models,
  discovered: false,
  ...change,
})

test('a model without native tool calls is selected if there is no other', () => {
  const text = status('a', [{ id: 'smol', tools: false }])
  expect(firstUsableModel([text])).toEqual({ endpointId: 'a', model: 'smol' })
  expect(firstUsableModel([text, status('b', [{ id: 'qwen' }])])).toEqual({ endpointId: 'b', model: 'qwen' })
})

test('of the models of an endpoint, a loaded one is preferred', () => {
  expect(firstUsableModel([status('a', [{ id: 'x' }, { id: 'y', loaded: true }])])?.model).toBe('y')
})

test('why no model is selected: no server, a server without a model, no choice', () => {
  const reason = (...statuses: EndpointStatus[]) => Object.values(noModelReason(statuses)).join(' ')
  expect(reason(status('a', [], { reachable: false }))).toMatch(/^No model server was found\. Start one/)
  expect(reason(status('Ollama', [], { problem: 'Run `ollama pull`.' }))).toMatch(/^Ollama is running.* Run `ollama/)
  expect(reason(status('a', [{ id: 'smol', tools: false }]))).toMatch(/^No model is chosen/)
})

import { expect, test } from 'vitest'
import type { ChatRequest, ModelClient, ModelEvent } from '../../model/clients/modelClient.ts'
import { createGuidedModel, rank } from './guidedModel.ts'

test('a token that begins two alternatives counts for none', () => {
  const ranked = rank(
    [
      { token: 're', logprob: Math.log(0.5) },
      { token: 'ren', logprob: Math.log(0.2) },
      { token: 'read', logprob: Math.log(0.1) },
      { token: 'read"', logprob: Math.log(0.1) },
      { token: '', logprob: Math.log(0.1) },
    ],
    ['read', 'rename', 'list'],
  )
  expect(ranked.map(({ name, score }) => [name, Math.exp(score).toFixed(2)])).toEqual([
    ['read', '0.20'],
    ['rename', '0.20'],
    ['list', '0.00'],
  ])
})

test('the requests of a step have their usage added up, and bound their answers', async () => {
  const requests: ChatRequest[] = []
  const client: ModelClient = {
    async *stream(request): AsyncGenerator<ModelEvent, void, void> {
      requests.push(request)
      if (request.topTokens !== undefined) yield { kind: 'likelihoods', tokens: [{ token: 'a', logprob: 0 }] }
      else yield { kind: 'text', text: '{"a":1}' }
      yield { kind: 'usage', usage: { promptTokens: 10, completionTokens: 1 } }
      yield { kind: 'finish', reason: 'stop' }
    },
    models: () => Promise.resolve([]),
  }
  const { signal } = new AbortController()
  const model = createGuidedModel(client, { model: 'm', temperature: 0, signal })
  expect(await model.likelihoods([], 'x', ['a', 'b'])).toMatchObject([{ name: 'a', score: 0 }, { name: 'b' }])
  expect(await model.fill([], { type: 'object' })).toEqual({ a: 1 })
  expect(model.takeUsage()).toMatchObject({ promptTokens: 20, completionTokens: 2 })
  expect(model.takeUsage()).toBeUndefined()
  expect(requests.map(({ maxTokens, tools }) => [maxTokens, tools])).toEqual([
    [1, []],
    [1500, []],
  ])
  expect(requests[0]?.messages).toEqual([{ role: 'assistant', content: 'x' }])
})

import { describe, expect, onTestFinished, test } from 'vitest'
import { scenarios } from '../../../../e2e/scenarios/index.ts'
import { createOpenAiClient } from '../clients/openAiClient.ts'
import type { ChatMessage } from '../modelClient.ts'
import { answer, call, waitForGate, say, type Scenario } from './scenario.ts'
import { startScriptedEndpoint } from './scriptedEndpoint.ts'
import { callsOf, chatRequest, collect, modelError, textOf } from '../testing/modelServer.ts'

async function start(scenario: Scenario) {
  const endpoint = await startScriptedEndpoint(scenario)
  onTestFinished(() => endpoint.close())
  const client = createOpenAiClient({ name: 'Scripted', baseUrl: endpoint.url })
  return { endpoint, client, ask: (...messages: ChatMessage[]) => collect(client, chatRequest({ messages })) }
}
const user = (content: string): ChatMessage => ({ role: 'user', content })
const looks: Scenario = {
  name: 'looks',
  turns: [
    {
      prompt: /look/,
      steps: [
        { title: 'read', play: () => answer(call('read_file', { path: 'a' }, 'c1')) },
        {
          title: 'tell',
          play: (seen) => answer(say(`It says ${seen.expect('read_file', /answer: (\d+)/, 'the answer')[1]}.`)),
        },
      ],
    },
  ],
}
const called: ChatMessage = {
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 'c1', name: 'read_file', arguments: '{"path":"a"}' }],
}
const read = (content: string): ChatMessage => ({ role: 'tool', callId: 'c1', name: 'read_file', content })

describe('a scenario', () => {
  test('answers from the tool results in the request', async () => {
    const { ask } = await start(looks)
    expect(callsOf(await ask(user('look')))).toEqual([{ id: 'c1', name: 'read_file', arguments: '{"path":"a"}' }])
    expect(textOf(await ask(user('look'), called, read('answer: 42')))).toBe('It says 42.')
    expect(textOf(await ask(user('look'), called, read('answer: 7')))).toBe('It says 7.')
  })

  test('fails with the step and its expectation if a result differs', async () => {
    const { ask, endpoint } = await start(looks)
    const error = await modelError(ask(user('look'), called, read('Error (not_found): no such file')))
    expect(error.code).toBe('bad_request')
    expect(error.message).toContain(
      'looks step 2 (tell) expected read_file to show the answer, but it showed: "Error (not_found): no such file"',
    )
    expect(endpoint.mismatches).toHaveLength(1)
  })

  test('lists the expected messages in its answer to an unexpected one', async () => {
    const { ask } = await start(looks)
    expect(textOf(await ask(user('what?')))).toMatch(/scripted.*look/s)
  })

  test('fails after its last step', async () => {
    const { ask } = await start(looks)
    const error = await modelError(ask(user('look'), called, read('answer: 1'), { role: 'assistant', content: 'a' }))
    expect(error.message).toMatch(/only 2 steps/)
  })

  test('plays two conversations at once', async () => {
    const { endpoint, ask } = await start(scenarios.twoConversations)
    const [one, two] = [ask(user('conversation one')), ask(user('conversation two'))]
    endpoint.release('two')
    expect(textOf(await two)).toBe('Begin two. End two.')
    endpoint.release('one')
    expect(textOf(await one)).toBe('Begin one. End one.')
  })
})

describe('the endpoint is as strict as real servers', () => {
  test.each([
    [
      'broken arguments',
      [
        { role: 'assistant', content: '', tool_calls: [{ id: '1', function: { name: 'f', arguments: '{' } }] },
        { role: 'tool', tool_call_id: '1', content: '' },
      ],
      500,
    ],
    [
      'a call without a result',
      [{ role: 'assistant', content: '', tool_calls: [{ id: '1', function: { name: 'f', arguments: '{}' } }] }],
      500,
    ],
    ['a result without a call', [{ role: 'tool', tool_call_id: '1', content: '' }], 500],
    ['an unknown role', [{ role: 'bird', content: '' }], 400],
  ])('%s is rejected', async (_what, messages, status) => {
    const { endpoint } = await start(looks)
    const response = await fetch(`${endpoint.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ messages: [{ role: 'user', content: 'look' }, ...messages] }),
    })
    expect(response.status).toBe(status)
  })

  test('a body that is not JSON is a 400, another path a 404', async () => {
    const { endpoint } = await start(looks)
    expect((await fetch(`${endpoint.url}/v1/chat/completions`, { method: 'POST', body: '{' })).status).toBe(400)
    expect((await fetch(`${endpoint.url}/v1/other`)).status).toBe(404)
  })

  test('lists its model', async () => {
    const { client } = await start({ ...looks, model: 'm', contextWindow: 1000 })
    expect(await client.models(new AbortController().signal)).toEqual([{ id: 'm', contextWindow: 1000 }])
  })
})

test('closing the endpoint ends pending answers', async () => {
  const endpoint = await startScriptedEndpoint({
    name: 'w',
    turns: [{ prompt: /./, steps: [{ title: 'w', play: () => answer(say('x'), waitForGate('never')) }] }],
  })
  const failed = modelError(
    collect(createOpenAiClient({ name: 'S', baseUrl: endpoint.url, timeouts: { loadingMs: 0 } })),
  )
  await expect.poll(() => endpoint.requests.length).toBe(1)
  await endpoint.close()
  expect(['cut_off', 'unreachable']).toContain((await failed).code)
})

test('the long answer is about 2,000 tokens and complete', async () => {
  const { ask } = await start({
    ...scenarios.longAnswer,
    turns: [
      {
        prompt: /./,
        steps:
          scenarios.longAnswer.turns[0]?.steps.map((step) => ({
            ...step,
            play: (seen) => ({ ...step.play(seen), pace: 0 }),
          })) ?? [],
      },
    ],
  })
  const text = textOf(await ask(user('write')))
  expect(text).toMatch(/The end\.$/)
  expect(text.length / 3.5).toBeGreaterThan(1500)
})

test('every scenario has a unique name', () => {
  const names = Object.values(scenarios).map((scenario) => scenario.name)
  expect(new Set(names).size).toBe(names.length)
})

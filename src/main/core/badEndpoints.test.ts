import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Features } from '../base/features.ts'
import type { ConversationItem, TurnOutcome } from '../../shared/agent/conversation.ts'
import { createCore } from '../core.ts'
import { answer, call, disconnect, raw, say, type Reply, type ScenarioTurn } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'

const never = new AbortController().signal

/** Opens a core whose model plays these turns. */
async function open(turns: ScenarioTurn[], features: Partial<Features> = {}) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bad-')))
  await mkdir(join(home, 'workspace'))
  await writeFile(join(home, 'workspace', 'a.txt'), 'alpha\n')
  const endpoint = await startScriptedEndpoint({ name: 'bad endpoint', turns })
  const core = await createCore({
    platform: {
      host: 'headless',
      fork: inProcessIndex,
      version: 'test',
      userData: join(home, 'user'),
      resources: join(import.meta.dirname, '..', '..', '..', 'resources'),
    },
    settings: {
      endpoints: [
        { id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint.url, hasKey: false, patience: { loading: 1 } },
      ],
      model: { endpointId: 'e', model: 'scripted' },
      mode: 'yolo',
    },
    features,
  })
  onTestFinished(async () => {
    await core.dispose()
    await endpoint.close()
    await rm(home, { recursive: true, force: true })
  })
  await core.openWorkspace(join(home, 'workspace'))
  const { id } = (await core.handlers['conversations.create']({}, never)).info
  const send = async (text: string): Promise<{ outcome: TurnOutcome; items: ConversationItem[] }> => {
    const ended = new Promise<TurnOutcome>((resolve) => {
      const stop = core.subscribe((name, payload) => {
        // `name` determines the type of the payload.
        const turn = payload as { conversationId: string; outcome: TurnOutcome }
        if (name !== 'conversation.turnEnded' || turn.conversationId !== id) return
        stop()
        resolve(turn.outcome)
      })
    })
    await core.handlers['conversations.send']({ id, text }, never)
    return { outcome: await ended, items: (await core.handlers['conversations.open']({ id }, never)).items }
  }
  return { send, endpoint }
}

const notices = (items: readonly ConversationItem[]) =>
  items.filter((item) => item.kind === 'notice').map(({ text }) => text)
const results = (items: readonly ConversationItem[]) =>
  items.filter((item) => item.kind === 'tool').map(({ name, result }) => ({ name, text: result?.text ?? '' }))
const lastText = (items: readonly ConversationItem[]) => items.findLast((item) => item.kind === 'assistant')?.text

describe('an invalid response of the endpoint is reported in the conversation, and the next message works', () => {
  test.each<[string, Reply, RegExp]>([
    [
      'HTML',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><h1>Router</h1>' },
      /HTML page/,
    ],
    [
      'a proxy error in HTML',
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' },
      /does not respond \(HTTP 502\)/,
    ],
    [
      'an incomplete line',
      { parts: [say('Yes'), raw('data: {"choices":[{"delta":{"con'), disconnect] },
      /closed the connection|invalid JSON/,
    ],
    ['a connection closed in the middle', answer(say('Half an'), disconnect), /closed the connection/],
    [
      'an error inside the stream',
      { parts: [say('Half'), raw('data: {"error":{"code":500,"message":"kaput"}}\n\n')], finish: null },
      /kaput/,
    ],
    [
      '10 MB in one delta',
      { parts: [raw(`data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(10_000_000) } }] })}\n\n`)] },
      /1,000,000 characters/,
    ],
    [
      'a context limit that contradicts the listed one',
      {
        status: 400,
        body: JSON.stringify({
          error: { message: 'request (40000 tokens) exceeds the available context size (32768 tokens)' },
        }),
      },
      /context size/,
    ],
    ['JSON that is not an answer', { parts: [raw('data: "hello"\n\n')] }, /not a chat completion/],
  ])('%s', async (_what, reply, message) => {
    const { send } = await open([
      // A message that was never answered is sent together with the next one.
      { prompt: /second/, steps: [{ title: 'good', play: () => answer(say('Here I am.')) }] },
      { prompt: /first/, steps: [{ title: 'bad', play: () => reply }] },
    ])
    const bad = await send('first')
    expect(bad.outcome).toBe('endpoint_failed')
    expect(notices(bad.items).join('\n')).toMatch(message)
    const good = await send('second')
    expect([good.outcome, lastText(good.items)]).toEqual(['done', 'Here I am.'])
  })

  test.each<[string, Reply]>([
    ['NUL bytes', answer(say('Here\0 I am.'))],
    ['two [DONE]', { parts: [say('Here I am.'), raw('data: [DONE]\n\n')] }],
    ['no finish reason', { parts: [say('Here I am.')], finish: null }],
  ])('%s does not cause a failure', async (_what, reply) => {
    const { send } = await open([{ prompt: /./, steps: [{ title: 'odd', play: () => reply }] }])
    const { outcome, items } = await send('first')
    expect([outcome, lastText(items), notices(items)]).toEqual(['done', 'Here I am.', []])
  })
})

describe('a model that writes its calls into the text', () => {
  const inText = (name: string) =>
    say(`I look.\n<tool_call>\n{'name': '${name}', 'arguments': {'path': 'a.txt',}}\n</tool_call>`)
  const turns = (name: string): ScenarioTurn[] => [
    {
      prompt: /./,
      steps: [
        { title: 'call', play: () => answer(inText(name)) },
        { title: 'answer', play: (seen) => answer(say(`It says: ${seen.results.at(-1)?.text ?? 'nothing'}`)) },
      ],
    },
  ]

  test('gets them run, with results like those of native calls', async () => {
    const { send } = await open(turns('read_file'))
    const { items } = await send('go')
    expect(results(items)).toMatchObject([{ name: 'read_file', text: expect.stringContaining('alpha') as string }])
    expect(items.find((item) => item.kind === 'tool')?.result?.repaired, 'its arguments were written in Python').toBe(
      true,
    )
    expect(items.filter((item) => item.kind === 'assistant').map(({ text }) => text)).toEqual([
      'I look.\n',
      expect.stringContaining('alpha'),
    ])
  })

  test('receives the nearest names for an unknown tool', async () => {
    const { send } = await open(turns('reed_file'))
    expect(results((await send('go')).items)[0]?.text).toMatch(/Did you mean .*read_file/)
  })

  test('has them shown as text if the feature is disabled', async () => {
    const { send } = await open(turns('read_file'), { textCalls: false, nudge: false })
    const { items } = await send('go')
    expect([results(items), lastText(items)]).toEqual([[], expect.stringContaining('<tool_call>')])
  })
})

test('a model without native tool calls gets the tools in its prompt, with one notice in the conversation', async () => {
  const refuse = {
    status: 500,
    body: JSON.stringify({ error: { code: 500, message: 'tools param requires --jinja flag' } }),
  }
  const { send, endpoint } = await open([
    {
      prompt: /<tool_response>\nread_file: [\s\S]*alpha/,
      steps: [{ title: 'answer', play: () => answer(say('It says alpha.')) }],
    },
    {
      prompt: /./,
      steps: [
        {
          title: 'call',
          play: ({ tools }) =>
            tools.length > 0
              ? refuse
              : answer(say('<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>')),
        },
      ],
    },
  ])
  const first = await send('read it')
  expect([first.outcome, lastText(first.items)]).toEqual(['done', 'It says alpha.'])
  const second = await send('read it again')
  expect([second.outcome, lastText(second.items)]).toEqual(['done', 'It says alpha.'])
  expect(notices(second.items).filter((text) => text.includes('has no native tool calls'))).toHaveLength(1)
  const chats = endpoint.requests.filter(({ path }) => path === '/v1/chat/completions')
  expect(chats.filter(({ body }) => typeof body === 'object' && body !== null && 'tools' in body)).toHaveLength(1)
})

test('a truncated call is refused and has no effect', async () => {
  const { send } = await open([
    {
      prompt: /./,
      steps: [
        {
          title: 'cut',
          play: () => ({
            parts: [call('write_file', '{"path": "b.txt", "content": "function() { return 1 }')],
            finish: 'length',
          }),
        },
        {
          title: 'answer',
          play: (seen) => answer(say(seen.expect('write_file', /cut off/, 'that it was cut off')[0])),
        },
      ],
    },
  ])
  const { items } = await send('go')
  expect(results(items)[0]?.text).toMatch(/^Error \(invalid_arguments\): The call was cut off/)
})

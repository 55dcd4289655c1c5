import { describe, expect, onTestFinished, test } from 'vitest'
import { answer, disconnect, raw, say, waitForGate } from '../scripted/scenario.ts'
import type { ScriptedCompletion } from '../scripted/scenario.ts'
import { startScriptedEndpoint } from '../scripted/scriptedEndpoint.ts'
import { modelError } from '../testing/modelServer.ts'
import { createFimClient, type FimRequest } from './fimClient.ts'

async function start(completion: ScriptedCompletion, timeouts = {}) {
  const endpoint = await startScriptedEndpoint({
    name: 'c',
    turns: [],
    respond: () => answer(say('chat')),
    completion,
  })
  onTestFinished(() => endpoint.close())
  const kind = completion.server === 'ollama' ? 'ollama' : 'openai'
  const client = createFimClient({
    access: ({ model }) =>
      Promise.resolve({
        root: endpoint.url,
        connection: {},
        target: { name: 'Scripted', kind, baseUrl: endpoint.url, model },
      }),
    timeouts,
  })
  const complete = (model: string, request: Partial<FimRequest> = {}, signal = new AbortController().signal) =>
    client.complete(
      { endpointId: 'e', model },
      {
        file: { path: 'a.py', before: 'def add(a, b):\n    return ', after: '\n\nprint(add(1, 2))\n' },
        chunks: [{ path: 'b.py', text: 'x = 1\n' }],
        indent: 4,
        maxTokens: 32,
        predictMs: 500,
        ...request,
      },
      signal,
    )
  const detect = (model: string) => client.detect({ endpointId: 'e', model }, new AbortController().signal)
  const lastBody = () => endpoint.requests.at(-1)?.body as Record<string, unknown>
  return { endpoint, client, complete, detect, lastBody }
}

test('the format is detected again for the models of an endpoint whose server may be another one', async () => {
  const { client, complete, endpoint } = await start({ server: 'llamacpp', respond: () => 'a + b' })
  const detections = () => endpoint.requests.filter(({ path }) => path === '/props').length
  await complete('qwen')
  client.forget('another')
  await complete('qwen')
  expect(detections()).toBe(1)
  client.forget('e')
  await complete('qwen')
  client.forget()
  await complete('qwen')
  expect(detections()).toBe(3)
})

describe('the format of a request', () => {
  test('llama.cpp gets /infill with extra files and the indentation', async () => {
    const { complete, lastBody, endpoint } = await start({ server: 'llamacpp', slots: 3, respond: () => 'a + b' })
    expect(await complete('qwen')).toBe('a + b')
    expect(endpoint.requests.at(-1)?.path).toBe('/infill')
    expect(lastBody()).toMatchObject({
      input_prefix: 'def add(a, b):\n',
      prompt: '    return ',
      input_suffix: '\n\nprint(add(1, 2))\n',
      input_extra: [{ filename: 'b.py', text: 'x = 1\n' }],
      n_indent: 4,
      t_max_predict_ms: 500,
      n_predict: 32,
      cache_prompt: true,
    })
  })

  test('the indentation before the cursor is left out and removed from the answer of llama.cpp', async () => {
    const { complete, lastBody } = await start({ server: 'llamacpp', respond: () => '    return a + b' })
    expect(await complete('qwen', { file: { path: 'a.py', before: 'def add(a, b):\n    ', after: '' } })).toBe(
      'return a + b',
    )
    expect(lastBody()).toMatchObject({ prompt: '' })
  })

  test('a model that llama.cpp cannot use with /infill gets the prompt of its family', async () => {
    const { complete, lastBody, detect } = await start({ server: 'llamacpp', infill: false, respond: () => 'a + b' })
    expect(await complete('Seed-Coder-8B-Base')).toBe('a + b')
    expect(lastBody()['prompt']).toBe(
      '<[fim-suffix]>\n\nprint(add(1, 2))\n<[fim-prefix]># b.py\nx = 1\n\ndef add(a, b):\n    return <[fim-middle]>',
    )
    expect(await detect('Seed-Coder-8B-Base')).toBe('/v1/completions with the prompt format of Seed-Coder')
  })

  test('Ollama gets a suffix if the template of the model has one, and never an empty one', async () => {
    const { complete, lastBody } = await start({ server: 'ollama', suffixTemplate: true, respond: () => 'a + b' })
    expect(await complete('qwen2.5-coder:1.5b', { file: { path: 'a.py', before: 'a = ', after: '' } })).toBe('a + b')
    expect(lastBody()).toMatchObject({ prompt: '# b.py\n# x = 1\n#\na = ', suffix: '\n' })
    expect(lastBody()).not.toHaveProperty('raw')
  })

  test('Ollama gets a raw prompt if the template has no suffix', async () => {
    const { complete, lastBody } = await start({ server: 'ollama', respond: () => 'a + b' })
    expect(await complete('starcoder2:3b', { chunks: [] })).toBe('a + b')
    expect(lastBody()).toMatchObject({
      raw: true,
      prompt: '<fim_prefix>def add(a, b):\n    return <fim_suffix>\n\nprint(add(1, 2))\n<fim_middle>',
    })
  })

  test('other servers get a suffix, unless they refuse or ignore it', async () => {
    const used = await start({ server: 'openai', suffix: 'used', respond: () => 'a + b' })
    expect(await used.complete('some-model')).toBe('a + b')
    expect(used.lastBody()).toMatchObject({ suffix: '\n\nprint(add(1, 2))\n' })
    for (const suffix of ['refused', 'ignored'] as const) {
      const { complete, lastBody } = await start({ server: 'openai', suffix, respond: () => 'a + b' })
      expect(await complete('Qwen2.5-Coder-7B')).toBe('a + b')
      expect(lastBody()).not.toHaveProperty('suffix')
      expect(lastBody()['prompt']).toBe(
        '<|repo_name|>workspace\n<|file_sep|>b.py\nx = 1\n<|file_sep|>a.py\n<|fim_prefix|>def add(a, b):\n    return <|fim_suffix|>\n\nprint(add(1, 2))\n<|fim_middle|>',
      )
    }
  })

  test('a model that cannot fill in the middle is refused with examples of models that can', async () => {
    const { detect } = await start({ server: 'openai', suffix: 'ignored', respond: () => 'a' })
    const error = await modelError(detect('llama-3.2'))
    expect(error.message).toContain('llama-3.2 cannot fill in the middle')
    expect(error.hint).toContain('Qwen2.5-Coder')
  })
})

describe('an answer', () => {
  test('ends at the first control token', async () => {
    const { complete } = await start({ server: 'llamacpp', respond: () => 'a + b<|fim_prefix|>rest<|endoftext|>' })
    expect(await complete('qwen')).toBe('a + b')
  })

  test('keeps control tokens that the file contains', async () => {
    const { complete, lastBody } = await start({
      server: 'openai',
      respond: ({ before }) => before.match(/token = '([^']*)'/)?.[1] ?? '',
    })
    const file = { path: 'a.py', before: "token = '<|fim_suffix|>'\nagain = '", after: "'\n" }
    expect(await complete('qwen-coder', { file })).toBe('<|fim_suffix|>')
    expect(String(lastBody()['prompt']).split('<|fim_suffix|>')).toHaveLength(2)
  })

  test('ends early when it is enough, and closes the connection', async () => {
    const { client, endpoint } = await start({
      server: 'llamacpp',
      respond: () => [say('one\ntwo\n'), waitForGate('never')],
    })
    const text = await client.complete(
      { endpointId: 'e', model: 'qwen' },
      { file: { path: 'a', before: 'b', after: '' }, chunks: [], indent: 0, maxTokens: 9, predictMs: 9 },
      new AbortController().signal,
      (so) => so.includes('two'),
    )
    expect(text).toBe('one\ntwo\n')
    expect(await endpoint.requests.at(-1)?.ended).toBe('broken')
  })

  test('cancelling closes the connection to the server', async () => {
    const { complete, endpoint } = await start({ server: 'llamacpp', respond: () => [waitForGate('never')] })
    const controller = new AbortController()
    const answered = complete('qwen', {}, controller.signal)
    await expect.poll(() => endpoint.requests.filter(({ path }) => path === '/infill').length).toBe(2)
    controller.abort()
    await expect(answered).rejects.toThrow('cancelled')
    expect(await endpoint.requests.at(-1)?.ended).toBe('broken')
  })

  test.each([
    ['10 MB in one piece', [raw(`data: {"content":"${'x'.repeat(10_000_000)}"}\n\n`)], 'more than 512 KB'],
    ['a connection that closes early', [say('a'), disconnect], 'closed the connection|lost|cut off|ended'],
    ['text that is not JSON', [raw('data: <html>\n\n')], 'JSON|HTML'],
    ['silence', [waitForGate('never')], 'did not (answer|respond)|within'],
  ])('%s is an error', async (_what, parts, message) => {
    const { complete } = await start({ server: 'llamacpp', respond: () => parts }, { headersMs: 300 })
    expect((await modelError(complete('qwen'))).message).toMatch(new RegExp(message))
  })

  test('10 MB in small pieces ends at a maximum length', async () => {
    const { complete } = await start({ server: 'llamacpp', respond: () => 'x'.repeat(10_000_000) })
    expect((await complete('qwen')).length).toBeLessThanOrEqual(16_000)
  })
})

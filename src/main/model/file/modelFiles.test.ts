import { execFileSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { forkNode, type ForkProcess } from '../../base/childProcess.ts'
import { offeredTools } from '../../tools/promptTools.ts'
import { bladeToolset } from '../../tools/blade/bladeToolset.ts'
import { callsOf, chatRequest, collect, modelError, textOf } from '../testing/modelServer.ts'
import { setUpModelFiles } from '../testing/modelFileEndpoints.ts'
import { writeTinyModel, type TinyModelOptions } from '../testing/tinyModel.ts'
import type { ChatRequest, ModelEvent } from '../modelClient.ts'
import type { ModelFilesDeps } from './modelFiles.ts'

const signal = new AbortController().signal
const seconds = 60_000
const tools = offeredTools(bladeToolset, bladeToolset.tools, 'minimal')

let folder: string
let model: string
let talker: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tizona-gguf-'))
  model = await writeTinyModel(path.join(folder, 'Tiny-random.gguf'))
  talker = await writeTinyModel(path.join(folder, 'Talker.gguf'), { callsTools: false })
  return () => rm(folder, { recursive: true, force: true })
})

const changed = (name: string, options: TinyModelOptions) => writeTinyModel(path.join(folder, name), options)
const kinds = (events: ModelEvent[]) => [...new Set(events.map(({ kind }) => kind))]

describe('a model file', () => {
  test('is listed by its metadata, without a process', async () => {
    const { open, children } = await setUpModelFiles()
    expect(await open(model)).toMatchObject({
      reachable: true,
      models: [{ id: 'Tiny-random', contextWindow: 16_384, tools: true, vision: false, loaded: false }],
    })
    expect(await open(await changed('short.gguf', { contextLength: 4096 }), 8192)).toMatchObject({
      models: [{ id: 'short', contextWindow: 4096 }],
    })
    expect(children).toEqual([])
  })

  test('without a chat template says why it cannot answer, and is not loaded', async () => {
    const { endpoints, open, children } = await setUpModelFiles()
    const base = await open(await changed('base.gguf', { chatTemplate: null }))
    expect(base).toMatchObject({ reachable: true, models: [] })
    expect(base.problem).toMatch(/^base is a base model without a chat template.*Serve it with llama-server/s)
    expect((await modelError(collect(endpoints.client(base.endpoint.id), chatRequest({ model: 'base' })))).code).toBe(
      'no_model',
    )
    expect(children).toEqual([])
    // Old files of chat models have no template, but the marks of ChatML in their vocabulary.
    const old = await changed('old.gguf', { chatTemplate: null, extraToken: '<|im_start|>' })
    expect((await open(old)).models).toHaveLength(1)
  })

  test('answers in a process that starts with the first message', { timeout: seconds }, async () => {
    const { endpoints, open, children } = await setUpModelFiles()
    const { endpoint } = await open(talker)
    const request = chatRequest({ model: 'Talker', temperature: 0.7 })
    const events = await collect(endpoints.client(endpoint.id), request)
    expect(textOf(events)).not.toBe('')
    expect(kinds(events)).toEqual(['status', 'text', 'usage', 'finish'])
    expect(events.at(-1)).toEqual({ kind: 'finish', reason: 'stop' })
    expect(events.at(-2)).toMatchObject({ usage: { promptTokens: expect.any(Number) } })
    const [again] = (await collect(endpoints.client(endpoint.id), request)).filter(({ kind }) => kind === 'usage')
    // If the prompt is the same, only its last token is read again.
    expect(again).toMatchObject({ usage: { promptTokens: 9, cachedTokens: 8 } })
    expect(children).toHaveLength(1)
    expect((await endpoints.list({ probe: true }, signal))[0]?.models[0]?.loaded).toBe(true)
    const { tokens } = await endpoints.model({ endpointId: endpoint.id, model: 'Talker' })
    expect(await tokens.count(['file '.repeat(500)], signal)).toBe(501)
    expect(tokens.exact).toBe(true)
  })

  test('keeps the prompts of conversations by itself', async () => {
    const { endpoints, open } = await setUpModelFiles()
    const { endpoint } = await open(talker)
    const { cache } = await endpoints.model({ endpointId: endpoint.id, model: 'Talker' })
    expect(await cache?.keep('c', signal)).toMatchObject({ kept: 'byServer' })
  })

  test('calls tools with valid arguments although its weights are random', { timeout: seconds }, async () => {
    const { endpoints, open } = await setUpModelFiles()
    const { endpoint } = await open(model)
    const client = endpoints.client(endpoint.id)
    const ask = (offered: typeof tools) =>
      collect(client, chatRequest({ model: 'Tiny-random', tools: offered, temperature: 1.5 }))
    const rounds = [tools, tools, ...tools.map((tool) => [tool])]
    for (const offered of rounds) {
      const events = await ask(offered)
      const calls = callsOf(events)
      expect(calls.length).toBeGreaterThan(0)
      for (const { name, arguments: json } of calls) {
        const tool = bladeToolset.tools.find((each) => each.name === name)
        expect(tool).toBeDefined()
        expect(tool?.schema.safeParse(JSON.parse(json)).error).toBeUndefined()
      }
      expect(events.at(-1)).toEqual({ kind: 'finish', reason: 'tool_calls' })
    }
  })

  test('answers match a schema although the weights are random', { timeout: seconds }, async () => {
    const { endpoints, open } = await setUpModelFiles()
    const { endpoint } = await open(talker)
    const properties = {
      task: { const: 'read "a.txt"' },
      path: { enum: ['a.txt', 'docs/b c.md'] },
      text: { type: 'string', maxLength: 20_000 },
    }
    const answerSchema = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
    for (let round = 0; round < 3; round++) {
      const request = chatRequest({ model: 'Talker', answerSchema, temperature: 1.5, maxTokens: 400 })
      const text = textOf(await collect(endpoints.client(endpoint.id), request))
      expect(text).toMatch(/^\{"task":"read \\"a.txt\\"","path":"(a\.txt|docs\/b c\.md)","text":"/)
    }
  })

  test('reports how likely each token is after the beginning of an answer', { timeout: seconds }, async () => {
    const { endpoints, open } = await setUpModelFiles()
    const { endpoint } = await open(talker)
    const likelihoods = async (begun: string) => {
      const messages: ChatRequest['messages'] = [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: begun },
      ]
      const events = await collect(
        endpoints.client(endpoint.id),
        chatRequest({ model: 'Talker', messages, topTokens: 2000 }),
      )
      expect(kinds(events)).toEqual(expect.arrayContaining(['likelihoods', 'usage', 'finish']))
      expect(textOf(events)).toBe('')
      return events.flatMap((event) => (event.kind === 'likelihoods' ? event.tokens : []))
    }
    const tokens = await likelihoods('{"kind":"')
    expect(tokens.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0)).toBeCloseTo(1, 2)
    expect(tokens.map(({ logprob }) => logprob)).toEqual(tokens.map(({ logprob }) => logprob).toSorted((a, b) => b - a))
    // The same prompt is read in other batches, so the last digits differ.
    const after = (list: typeof tokens) =>
      new Map(list.map(({ token, logprob }) => [token, logprob.toFixed(2)] as const))
    expect(after(await likelihoods('{"kind":"'))).toEqual(after(tokens))
    expect(after(await likelihoods('the path'))).not.toEqual(after(tokens))
  })

  test.each([
    ['135M', true],
    ['7B', false],
    ['8x7B', false],
    [undefined, false],
  ])('of the size %s chooses its calls in guided turns: %s', async (sizeLabel, isGuided) => {
    const { endpoints, open } = await setUpModelFiles()
    const file = await changed('Sized.gguf', { ...(sizeLabel !== undefined && { sizeLabel }) })
    const { endpoint } = await open(file)
    const ready = await endpoints.model({ endpointId: endpoint.id, model: 'Sized' })
    expect('guided' in ready).toBe(isGuided)
  })

  test('the status shows how much of a long prompt is read, from part to part', { timeout: seconds }, async () => {
    const { endpoints, open } = await setUpModelFiles()
    const { endpoint } = await open(talker)
    const messages = [{ role: 'user' as const, content: 'the path and the file '.repeat(700) }]
    const events = await collect(
      endpoints.client(endpoint.id),
      chatRequest({ model: 'Talker', messages, maxTokens: 2 }),
    )
    const notes = events.flatMap((event) =>
      event.kind === 'status' ? [/prompt \((\d+)%\)/.exec(event.note)?.[1]] : [],
    )
    const shares = [...new Set(notes.filter((share) => share !== undefined).map(Number))]
    expect(shares.length).toBeGreaterThanOrEqual(6)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares.at(-1)).toBeGreaterThan(60)
  })

  test('stops when the answer is cancelled, and answers the next message', { timeout: seconds }, async () => {
    const { endpoints, open, children } = await setUpModelFiles()
    const { endpoint } = await open(talker)
    const client = endpoints.client(endpoint.id)
    const stop = new AbortController()
    const answer = async () => {
      // The end of an answer is unlikely at this length.
      for await (const event of client.stream(chatRequest({ model: 'Talker', signal: stop.signal })))
        if (event.kind === 'text') stop.abort()
    }
    await expect(answer()).rejects.toMatchObject({ name: 'AbortError' })
    expect(textOf(await collect(client, chatRequest({ model: 'Talker', temperature: 0.7 })))).not.toBe('')
    expect(children).toHaveLength(1)
  })

  test.each([
    [
      'while it answered',
      'text',
      'The process of Talker ended (signal SIGKILL).',
      'It restarts with the next message.',
      'Starting it again…',
    ],
    [
      'while it loaded the model',
      'status',
      'The process of Talker ended while it loaded the model (signal SIGKILL). The file may be damaged, or memory ran out.',
      'If this happens again, download the file again',
      'Starting it again without the graphics card…',
    ],
  ] as const)(
    'starts again with the next message after its process was killed %s, and says so',
    { timeout: seconds },
    async (_, kind, message, hint, status) => {
      const { endpoints, open, children } = await setUpModelFiles()
      const { endpoint } = await open(talker)
      const client = endpoints.client(endpoint.id)
      const request = chatRequest({ model: 'Talker', temperature: 0.7 })
      const killed = async () => {
        for await (const event of client.stream(request)) if (event.kind === kind) children.at(-1)?.kill()
      }
      expect(await modelError(killed())).toMatchObject({
        code: 'cut_off',
        message,
        hint: expect.stringContaining(hint),
      })
      const events = await collect(client, request)
      const note = `The process of Talker ended (signal SIGKILL). ${status}`
      expect(events).toContainEqual({ kind: 'status', note })
      expect(textOf(events)).not.toBe('')
      expect(children).toHaveLength(2)
    },
  )

  test('whose chat template does not end is ended when the answer is cancelled', { timeout: seconds }, async () => {
    const numbers = '{% for a in range(100000) %}'
    const endless = `{% if 'endless' in messages[-1]['content'] %}${numbers}${numbers}{% endfor %}{% endfor %}{% endif %}`
    const file = await changed('endless.gguf', {
      callsTools: false,
      chatTemplate: `${endless}{{ messages[-1]['content'] }}`,
    })
    const ended = Promise.withResolvers<string>()
    const fork: ForkProcess = (module, options, events) =>
      forkNode(module, options, { ...events, onExit: (reason) => (ended.resolve(reason), events.onExit(reason)) })
    const { endpoints, open } = await setUpModelFiles({ cancelMs: 100, fork })
    const { endpoint } = await open(file)
    const client = endpoints.client(endpoint.id)
    const request = (content: string, own = signal) =>
      chatRequest({ model: 'endless', messages: [{ role: 'user', content }], maxTokens: 5, signal: own })
    await collect(client, request('hello'))
    const stop = new AbortController()
    const answer = async () => {
      // The model is in memory, so the template runs right after the status.
      for await (const event of client.stream(request('endless', stop.signal)))
        if (event.kind === 'status') stop.abort()
    }
    await expect(answer()).rejects.toMatchObject({ name: 'AbortError' })
    expect(await ended.promise).toBe('signal SIGKILL')
    await collect(client, request('hello'))
  })

  test('whose chat template begins to think answers without, if the request is so', { timeout: seconds }, async () => {
    const { endpoints, open } = await setUpModelFiles()
    const tokensOf = async (name: string, end: string, thinking?: 'off') => {
      const chatTemplate = `{{ messages[-1]['content'] }}${end}`
      const { endpoint } = await open(await changed(`${name}.gguf`, { chatTemplate, callsTools: false }))
      const request = chatRequest({ model: name, maxTokens: 1, ...(thinking && { thinking }) })
      const usage = (await collect(endpoints.client(endpoint.id), request)).find((event) => event.kind === 'usage')
      return usage?.usage.promptTokens
    }
    const without = await tokensOf('thinker', '<think>\n', 'off')
    expect(without).toBe(await tokensOf('closed', '<think>\n\n</think>\n\n'))
    expect(without).not.toBe(await tokensOf('thinker', '<think>\n'))
  })

  test('whose chat template cannot be read is refused with the reason', { timeout: seconds }, async () => {
    const { endpoints, open } = await setUpModelFiles()
    const { endpoint } = await open(await changed('garbled.gguf', { chatTemplate: '{% for m in messages %}{{ m }' }))
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await modelError(collect(endpoints.client(endpoint.id)))).toMatchObject({
        code: 'no_model',
        message: expect.stringMatching(/^The chat template in garbled cannot be read: .*\.$/),
        hint: 'Select another file of this model, or serve it with llama-server.',
      })
    }
  })

  test('refuses a prompt that is longer than the context with both sizes', { timeout: seconds }, async () => {
    const { endpoints, open } = await setUpModelFiles()
    const { endpoint } = await open(talker, 64)
    const long = chatRequest({ model: 'Talker', messages: [{ role: 'user', content: 'file '.repeat(100) }] })
    expect(await modelError(collect(endpoints.client(endpoint.id), long))).toMatchObject({
      code: 'context_exceeded',
      message: 'The prompt has 105 tokens, but the context size is 64.',
      excess: { prompt: 105, window: 64 },
    })
  })

  test('is refused if it needs more memory than is free', { timeout: seconds }, async () => {
    const { endpoints, open } = await setUpModelFiles({ freeMemory: 10_000_000 })
    const { endpoint } = await open(talker)
    expect(await modelError(collect(endpoints.client(endpoint.id)))).toMatchObject({
      code: 'no_model',
      message: expect.stringMatching(
        /^Talker needs about 265 MB of memory \(model 717 KB, context 8(\.0)? MB\), but only 9\.5 MB is free\.$/,
      ),
    })
  })

  test('of an architecture that llama.cpp does not know is refused with its name', { timeout: seconds }, async () => {
    const { endpoints, open } = await setUpModelFiles()
    const { endpoint } = await open(await changed('novel.gguf', { architecture: 'novelnet' }))
    expect(await modelError(collect(endpoints.client(endpoint.id)))).toMatchObject({
      code: 'no_model',
      message: 'novel has the architecture "novelnet", which the llama.cpp in this version of Tizona does not support.',
    })
  })

  test('whose weights are cut off is refused, and its process survives', { timeout: seconds }, async () => {
    const { endpoints, open, children } = await setUpModelFiles()
    const cut = await changed('cut.gguf', {})
    await truncate(cut, 400_000)
    const { endpoint } = await open(cut)
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await modelError(collect(endpoints.client(endpoint.id)))).toMatchObject({
        code: 'no_model',
        message: expect.stringContaining(`llama.cpp cannot load ${cut}: `),
        hint: 'The file may be damaged. Download it again, or select another one.',
      })
    }
    expect(children).toHaveLength(1)
  })

  test.each([
    ['is missing', undefined, /^There is no file .*bad\.gguf\. Correct the path in the settings\.$/],
    ['is empty', Buffer.alloc(0), /is not a complete GGUF file\. It ends in the middle of its metadata\. Download/],
    ['is an archive', Buffer.from('PK\x03\x04'.repeat(20)), /It does not begin with the letters "GGUF"/],
    ['claims a huge vocabulary', header(1n << 60n), /Its header lists \d+ metadata entries/],
    ['has a version of its own', header(1n, 99), /Its format version is 99, not 2 or 3/],
    ['ends in its metadata', header(5n), /It ends in the middle of its metadata/],
    ['claims more tensors than it has room for', header(0n, 3, 1n << 40n), /Its header lists \d+ tensors/],
    ['claims a list longer than itself', list(4, 1n << 31n), /It ends in the middle of its metadata/],
    ['claims a longer vocabulary than itself', list(8, 1n << 31n), /It ends in the middle of its metadata/],
    ['has a vocabulary of nothing', list(8, 5_000_000n, 40_000_000), /Its vocabulary is larger than that of any model/],
    ['has lists in lists in lists', list(9, 1n, 4, 9), /Its metadata has too many nested lists/],
  ])('that %s is a problem of the endpoint', async (_case, content, problem) => {
    const { open } = await setUpModelFiles()
    const file = path.join(folder, 'bad.gguf')
    await rm(file, { force: true })
    if (content) await writeFile(file, content)
    expect(await open(file)).toMatchObject({ reachable: false, models: [], problem: expect.stringMatching(problem) })
  })

  test.skipIf(process.platform === 'win32')('that is a pipe or a device is a problem of the endpoint', async () => {
    const { open } = await setUpModelFiles()
    const pipe = path.join(folder, 'pipe.gguf')
    execFileSync('mkfifo', [pipe])
    const device = path.join(folder, 'device.gguf')
    await symlink('/dev/zero', device)
    for (const file of [pipe, device])
      expect(await open(file)).toMatchObject({
        reachable: false,
        problem: expect.stringContaining('It is a pipe, a socket or a device.'),
      })
  })

  test('with a missing part names the part', async () => {
    const { open } = await setUpModelFiles()
    const part = path.join(folder, 'Split-00001-of-00002.gguf')
    await writeFile(part, await readFile(model))
    expect(await open(part)).toMatchObject({
      problem: expect.stringContaining(
        'Split-00002-of-00002.gguf is missing. Download all of its files into one folder.',
      ),
    })
  })

  test('that is a later part of a model names the first one', async () => {
    const { endpoints, open } = await setUpModelFiles()
    const part = path.join(folder, 'Later-00002-of-00003.gguf')
    await writeFile(part, header(0n))
    const { endpoint, problem } = await open(part)
    expect(problem).toBe(
      `${part} is part 2 of a model in 3 files. Select the first one: ${path.join(folder, 'Later-00001-of-00003.gguf')}.`,
    )
    expect(await modelError(collect(endpoints.client(endpoint.id)))).toMatchObject({ code: 'no_model' })
  })

  test('is read again when it has changed', async () => {
    const { endpoints, open } = await setUpModelFiles()
    const file = await changed('Renewed.gguf', { contextLength: 2048 })
    const { endpoint } = await open(file)
    await changed('Renewed.gguf', { contextLength: 1024, chatTemplate: 'longer' })
    expect(
      (await endpoints.list({ probe: true }, signal)).find((each) => each.endpoint.id === endpoint.id),
    ).toMatchObject({
      models: [{ contextWindow: 1024 }],
    })
  })

  test('with a damaged list is refused before it is loaded', { timeout: seconds }, async () => {
    const { endpoints, open, children } = await setUpModelFiles()
    const bytes = await readFile(talker)
    const key = 'tokenizer.ggml.token_type'
    // The number of items follows the types of the list and of its items.
    bytes.writeUInt32LE(0x7fffffff, bytes.indexOf(key) + key.length + 8)
    const file = path.join(folder, 'damaged.gguf')
    await writeFile(file, bytes)
    const { endpoint, problem } = await open(file)
    expect(problem).toContain('damaged.gguf is not a complete GGUF file. It ends in the middle of its metadata.')
    expect(await modelError(collect(endpoints.client(endpoint.id)))).toMatchObject({ code: 'no_model' })
    expect(children).toEqual([])
  })

  test('without the optional package is one sentence in the settings', async () => {
    const { endpoints, open, children } = await setUpModelFiles({ isInstalled: () => false })
    const { endpoint, problem } = await open(model)
    expect(problem).toMatch(/^Model files need the optional package node-llama-cpp, which is not installed\. Run /)
    expect(await modelError(collect(endpoints.client(endpoint.id)))).toMatchObject({ code: 'no_model' })
    expect(children).toEqual([])
  })

  test('whose package is not found by its process reports the same', { timeout: seconds }, async () => {
    // A process without any package, because its module is outside of node_modules.
    const alone = await mkdtemp(path.join(tmpdir(), 'tizona-gguf-alone-'))
    onTestFinished(() => rm(alone, { recursive: true, force: true }))
    const source = path.join(import.meta.dirname, '../../..')
    await cp(source, path.join(alone, 'src'), { recursive: true, filter: (from) => !from.includes('renderer') })
    await writeFile(path.join(alone, 'package.json'), '{"type":"module"}')
    const fork: ForkProcess = (module, ...rest) =>
      forkNode(path.join(alone, 'src', path.relative(source, module)), ...rest)
    const { endpoints, open } = await setUpModelFiles({ fork })
    const { endpoint } = await open(model)
    expect(await modelError(collect(endpoints.client(endpoint.id)))).toMatchObject({
      code: 'no_model',
      message: 'Model files need the optional package node-llama-cpp, which is not installed.',
    })
  })

  test('must be an absolute path of a .gguf file', async () => {
    const { open } = await setUpModelFiles()
    for (const file of ['models/a.gguf', '/models/a.bin', 'http://127.0.0.1/a.gguf'])
      await expect(open(file)).rejects.toMatchObject({ code: 'invalid_arguments' })
  })

  test('ends its process when the endpoint is removed', { timeout: seconds }, async () => {
    const exits: string[] = []
    const fork: ForkProcess = (module, options, events) =>
      forkNode(module, options, { ...events, onExit: (reason) => (exits.push(reason), events.onExit(reason)) })
    const { endpoints, open } = await setUpModelFiles({ fork })
    const { endpoint } = await open(talker)
    await collect(endpoints.client(endpoint.id), chatRequest({ temperature: 0.7 }))
    await endpoints.remove(endpoint.id)
    await expect.poll(() => exits).toEqual(['signal SIGKILL'])
  })
})

describe('a model file for embeddings', () => {
  const embed = async (file: string, options: ModelFilesDeps = {}) => {
    const { endpoints, open, children } = await setUpModelFiles(options)
    const status = await open(file)
    const choice = { endpointId: status.endpoint.id, model: status.embeddingModels?.[0] ?? '' }
    return { endpoints, status, children, embed: (texts: string[]) => endpoints.embed(choice, texts, signal) }
  }

  test('computes the same vector for the same text, in its process', { timeout: seconds }, async () => {
    const { status, children, embed: compute } = await embed(await changed('Embedder.gguf', { pooling: 1 }))
    expect(status).toMatchObject({ reachable: true, models: [], embeddingModels: ['Embedder'] })
    expect(children).toEqual([])
    const [one, other, again, long] = await compute(['read the file', 'number', 'read the file', 'file '.repeat(5000)])
    expect(one).toHaveLength(64)
    expect(again).toEqual(one)
    expect(other).not.toEqual(one)
    expect(long?.every(Number.isFinite)).toBe(true)
    expect(children).toHaveLength(1)
  })

  test('cannot chat, and others compute no embeddings', { timeout: seconds }, async () => {
    const { endpoints, status } = await embed(await changed('Embedder.gguf', { pooling: 3 }))
    expect(await modelError(collect(endpoints.client(status.endpoint.id)))).toMatchObject({
      message: 'Embedder cannot generate text: it is an embedding model or a reranker.',
    })
    const { status: chat, embed: compute } = await embed(talker)
    expect(chat.embeddingModels).toBeUndefined()
    expect(await modelError(compute(['a']))).toMatchObject({ message: 'Talker does not compute embeddings.' })
  })

  test('is recognized by its architecture if its header names no pooling', async () => {
    const { status } = await embed(await changed('Encoder.gguf', { architecture: 'nomic-bert' }))
    expect(status).toMatchObject({ models: [], embeddingModels: ['Encoder'] })
  })

  test('that is a reranker is a problem of the endpoint', async () => {
    const { status } = await embed(await changed('Ranker.gguf', { pooling: 4 }))
    expect(status).toMatchObject({
      reachable: false,
      models: [],
      problem: expect.stringContaining('Ranker cannot generate text: it is an embedding model or a reranker.'),
    })
  })

  test('whose weights are cut off is refused', { timeout: seconds }, async () => {
    const cut = await changed('cutEmbedder.gguf', { pooling: 1 })
    await truncate(cut, 400_000)
    const { embed: compute } = await embed(cut)
    expect(await modelError(compute(['a']))).toMatchObject({
      code: 'no_model',
      message: expect.stringContaining(`llama.cpp cannot load ${cut}: `),
    })
  })
})

/** The beginning of a GGUF file with this number of metadata entries. */
function header(entries: bigint, version = 3, tensors = 0n): Buffer {
  const bytes = Buffer.alloc(24)
  bytes.write('GGUF', 0, 'latin1')
  bytes.writeUInt32LE(version, 4)
  bytes.writeBigUInt64LE(tensors, 8)
  bytes.writeBigUInt64LE(entries, 16)
  return bytes
}

/**
 * A GGUF file whose first metadata is a list of this type and length.
 * @param rest bytes after its beginning
 * @param inner type of a list in the list
 */
function list(type: number, length: bigint, rest = 4, inner = 0): Buffer {
  const bytes = Buffer.alloc(8 + 1 + 4 + 4 + 8)
  bytes.writeBigUInt64LE(1n)
  bytes.write('a', 8)
  bytes.writeUInt32LE(9, 9)
  bytes.writeUInt32LE(type, 13)
  bytes.writeBigUInt64LE(length, 17)
  const item = Buffer.alloc(rest + 8)
  item.writeUInt32LE(inner)
  if (inner !== 0) item.writeUInt32LE(1, 4)
  return Buffer.concat([header(1n), bytes, item])
}

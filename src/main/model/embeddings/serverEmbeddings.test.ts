import { expect, onTestFinished, test } from 'vitest'
import { modelError, serve } from '../testing/modelServer.ts'
import { startScriptedEndpoint } from '../scripted/scriptedEndpoint.ts'
import type { ScriptedEmbeddings } from '../scripted/scenario.ts'
import { embedAtServer } from './serverEmbeddings.ts'

const signal = new AbortController().signal
const access = (root: string) => ({
  root,
  connection: {},
  target: { name: 'Box', kind: 'openai' as const, baseUrl: root, model: 'nomic-embed-text' },
})

async function scripted(respond: ScriptedEmbeddings['respond']) {
  const endpoint = await startScriptedEndpoint({
    name: 'embeddings',
    turns: [],
    embeddings: { model: 'nomic-embed-text', respond },
  })
  onTestFinished(() => endpoint.close())
  return endpoint
}

const answering = (answer: unknown) =>
  serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })

test('embeds many texts in several requests, in the order of the texts', async () => {
  const { url, requests } = await scripted((texts) => texts.map((text) => [Number(text), 1]))
  const vectors = await embedAtServer(
    access(url),
    Array.from({ length: 40 }, (_, at) => String(at)),
    signal,
  )
  expect(vectors.map(([first]) => first)).toEqual(Array.from({ length: 40 }, (_, at) => at))
  expect(requests.map(({ path, body }) => [path, body])).toMatchObject([
    ['/v1/embeddings', { model: 'nomic-embed-text', encoding_format: 'float' }],
    ['/v1/embeddings', { input: ['32', '33', '34', '35', '36', '37', '38', '39'] }],
  ])
})

test('assigns vectors to texts by their number', async () => {
  const { url } = await answering({
    data: [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ],
  })
  expect(await embedAtServer(access(url), ['a', 'b'], signal)).toEqual([Float32Array.of(1), Float32Array.of(2)])
})

test.each([
  ['fewer vectors', { data: [{ index: 0, embedding: [1] }] }],
  ['more vectors', { data: [0, 1, 2].map((index) => ({ index, embedding: [1] })) }],
  ['the same vector twice', { data: [0, 0].map((index) => ({ index, embedding: [1] })) }],
  ['vectors of different lengths', { data: [{ embedding: [1] }, { embedding: [1, 2] }] }],
  ['an empty vector', { data: [{ embedding: [] }, { embedding: [] }] }],
  ['a value that is no number', { data: [{ embedding: [1, null] }, { embedding: [1, 2] }] }],
  ['infinity', '{"data":[{"embedding":[1e999]},{"embedding":[1]}]}'],
  ['base64', { data: [{ embedding: 'AACAPw==' }, { embedding: 'AACAPw==' }] }],
  ['a huge vector', { data: [0, 1].map(() => ({ embedding: Array.from({ length: 20_000 }, () => 1) })) }],
  ['no list', { data: null }],
  ['an entry that is no object', { data: [1, 2] }],
  ['text', 'Not Found'],
])('refuses an answer with %s', async (_case, answer) => {
  const { url } = await answering(answer)
  expect(await modelError(embedAtServer(access(url), ['a', 'b'], signal))).toMatchObject({ code: 'bad_response' })
})

test('reports what a server without embeddings answers', async () => {
  const { url } = await scripted(() => ({
    status: 501,
    body: '{"error":{"message":"This server does not support embeddings. Start it with `--embeddings`"}}',
  }))
  expect(await modelError(embedAtServer(access(url), ['a'], signal))).toMatchObject({
    code: 'server_error',
    message: expect.stringContaining('Start it with `--embeddings`'),
  })
})

test('ends when it is cancelled', async () => {
  const stop = new AbortController()
  const { url } = await serve(() => stop.abort())
  await expect(embedAtServer(access(url), ['a'], stop.signal)).rejects.toMatchObject({ name: 'AbortError' })
})

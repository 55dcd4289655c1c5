import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { Endpoint } from '../../shared/settings/settings.ts'
import { createCore, type Core } from '../core.ts'
import { inlineEdit } from '../inlineEdit/testing/inlineEditParams.ts'
import { serve } from '../model/testing/modelServer.ts'
import { headlessPlatform } from '../testing/headlessPlatform.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'

// Ollama loads a model again, without its prompt cache, if a request has another context size than the last one, and
// keeps it in memory for as long as the last request asked.

const never = new AbortController().signal
const model = 'qwen2.5-coder:7b'

let core: Core | undefined
let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined
afterEach(async () => {
  await core?.dispose()
  await folder?.remove()
})

/** An Ollama with one model. @returns what it was asked, by path */
async function ollama() {
  const requests: { path: string; size: unknown; keepAlive: unknown }[] = []
  const titled = Promise.withResolvers<void>()
  const { url } = await serve(({ url: path = '' }, response, body) => {
    if (path === '/api/tags') return response.end(JSON.stringify({ models: [{ name: model }] }))
    if (path === '/api/ps') return response.end('{"models":[]}')
    if (path === '/api/show')
      return response.end(
        JSON.stringify({ capabilities: ['completion', 'tools'], model_info: { 'x.context_length': 131_072 } }),
      )
    if (path !== '/api/chat' && path !== '/api/generate') return response.writeHead(404).end('{}')
    const { options, keep_alive: keepAlive } = JSON.parse(body)
    requests.push({ path, size: options.num_ctx, keepAlive })
    const text = '```ts\nexport const limit = 20\n```'
    const answer = path === '/api/chat' ? { message: { content: text } } : { response: text }
    response.end(
      `${JSON.stringify({ ...answer, done: true, done_reason: 'stop', prompt_eval_count: 9, eval_count: 4 })}\n`,
    )
    if (body.includes('Write a title')) response.once('close', titled.resolve)
  })
  return { url, requests, titled: titled.promise }
}

async function coreWith(endpoint: Pick<Endpoint, 'baseUrl'> & Partial<Endpoint>): Promise<Core> {
  folder = await temporaryFolder({ 'workspace/a.ts': 'export const limit = 10\n', 'user/': '' })
  const made = await createCore({
    platform: headlessPlatform(join(folder.root, 'user')),
    settings: {
      endpoints: [{ id: 'o', name: 'O', kind: 'ollama', hasKey: false, ...endpoint }],
      model: { endpointId: 'o', model },
      smallModel: { endpointId: 'o', model },
      mode: 'yolo',
    },
  })
  core = made
  await made.openWorkspace(join(folder.root, 'workspace'))
  return made
}

it.each<[string, Partial<Endpoint>, number]>([
  ["the model's own", { models: { [model]: { contextWindow: 65_536, keepAlive: '30m' } } }, 65_536],
  ["the endpoint's", { contextWindow: 24_576, models: { [model]: { keepAlive: '30m' } } }, 24_576],
  ['the default', { models: { [model]: { keepAlive: '30m' } } }, 16_384],
])('every request to a model has the same context size: %s', async (_, endpoint, size) => {
  const { url, requests, titled } = await ollama()
  const { handlers, subscribe } = await coreWith({ baseUrl: url, ...endpoint })
  const choice = { endpointId: 'o', model }
  await handlers['completion.test'](choice, never)
  await handlers['inlineEdit.run'](inlineEdit(), never)
  await handlers['models.check'](choice, never)
  const { info } = await handlers['conversations.create']({}, never)
  const ended = new Promise<void>((resolve) => {
    const stop = subscribe((name) => {
      if (name !== 'conversation.turnEnded') return
      stop()
      resolve()
    })
  })
  await handlers['conversations.send']({ id: info.id, text: 'Hi.' }, never)
  await ended
  await titled
  expect(requests.map(({ path }) => path)).toEqual(['/api/generate', ...Array(4).fill('/api/chat')])
  for (const request of requests) expect(request).toMatchObject({ size, keepAlive: '30m' })
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCore, type Core } from '../core.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { inProcessIndex } from '../testing/inProcessIndex.ts'

const never = new AbortController().signal
const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let core: Core
let asked: string[]

/** A llama-server that reports a model without image support. */
const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  const bodies: Record<string, object> = {
    '/v1/models': { data: [{ id: 'm', object: 'model', owned_by: 'llamacpp' }] },
    '/props': { modalities: { vision: false }, default_generation_settings: { n_ctx: 8192 } },
  }
  const body = bodies[(request.url ?? '').split('?')[0] ?? '']
  response
    .writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
    .end(JSON.stringify(body ?? { error: 'no' }))
})

beforeEach(async () => {
  asked = []
  folder = await temporaryFolder({ 'workspace/.tizona/commands/fix.md': 'Fix $1.', 'user/': '' })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  // A listening server on a port has an address object.
  const { port } = server.address() as AddressInfo
  core = await createCore({
    platform: {
      host: 'headless',
      fork: inProcessIndex,
      version: 'test',
      userData: join(folder.root, 'user'),
      resources: join(import.meta.dirname, '..', '..', '..', 'resources'),
    },
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: `http://127.0.0.1:${port}`, hasKey: false }],
      model: { endpointId: 'e', model: 'm' },
    },
  })
  await core.openWorkspace(join(folder.root, 'workspace'))
  await core.handlers['trust.decide']({ choice: 'folder' }, never)
})
afterEach(async () => {
  await core.dispose()
  server.closeAllConnections()
  await new Promise((done) => void server.close(done))
  await folder.remove()
})

test('an image for a model without image support is refused before a request is sent', async () => {
  const { handlers } = core
  await handlers['endpoints.list']({ probe: true }, never)
  const picture = await handlers['images.add']({ label: 'a.gif', data: gif }, never)
  expect(picture).toMatchObject({ mimeType: 'image/gif', width: 1, height: 1 })
  const { info } = await handlers['conversations.create']({}, never)
  const sending = Promise.resolve(
    handlers['conversations.send']({ id: info.id, text: 'see', images: [{ id: picture.id, label: 'a.gif' }] }, never),
  )
  await expect(sending).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining('m does not support images'),
  })
  expect((await handlers['conversations.open']({ id: info.id }, never)).items).toEqual([])
  expect(asked.filter((url) => url.includes('chat'))).toEqual([])
})

test('data that is not a picture is refused, and an unknown picture cannot be sent', async () => {
  const { handlers } = core
  await expect(
    Promise.resolve().then(() =>
      handlers['images.add']({ label: 'a.png', data: Buffer.from('<svg/>').toString('base64') }, never),
    ),
  ).rejects.toMatchObject({ code: 'invalid_arguments' })
  expect(await handlers['images.read']({ id: 'none' }, never)).toBeNull()
  const { info } = await handlers['conversations.create']({}, never)
  const sending = Promise.resolve(
    handlers['conversations.send']({ id: info.id, text: 'see', images: [{ id: 'none', label: 'a.png' }] }, never),
  )
  await expect(sending).rejects.toMatchObject({ code: 'not_found' })
})

test('prompt files are listed and expanded with arguments', async () => {
  const { handlers } = core
  expect(await handlers['prompts.list']({}, never)).toEqual([
    { name: 'fix', description: 'Fix $1.', hint: '', source: 'workspace' },
  ])
  expect(await handlers['prompts.expand']({ name: 'fix', args: 'it' }, never)).toBe('Fix it.')
})

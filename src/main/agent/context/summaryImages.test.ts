import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createCore, type Core } from '../../core.ts'
import { answer, say } from '../../model/scripted/scenario.ts'
import { startOneSlotServer, type OneSlotServer } from '../../model/testing/oneSlotServer.ts'
import { headlessPlatform } from '../../testing/headlessPlatform.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'

const never = new AbortController().signal
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let core: Core | undefined
let server: OneSlotServer | undefined
let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined
afterEach(async () => {
  await core?.dispose()
  await server?.close()
  await folder?.remove()
})

it('a summary in place sends the images of the conversation, whose prompt it continues', async () => {
  folder = await temporaryFolder({ 'workspace/a.ts': 'one\n', 'user/': '' })
  server = await startOneSlotServer({
    window: 32_768,
    respond: () => answer(say('Task and state: the image shows one pixel, and nothing else was asked.')),
  })
  const made = await createCore({
    platform: headlessPlatform(join(folder.root, 'user')),
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: server.url, hasKey: false }],
      model: { endpointId: 'e', model: 'one-slot' },
      mode: 'yolo',
    },
  })
  core = made
  const { handlers } = made
  await made.openWorkspace(join(folder.root, 'workspace'))
  const { info } = await handlers['conversations.create']({}, never)
  const ended = async (start: () => unknown) => {
    const end = new Promise<void>((resolve) => {
      const stop = made.subscribe((name) => {
        if (name !== 'conversation.turnEnded') return
        stop()
        resolve()
      })
    })
    await start()
    await end
  }
  const image = await handlers['images.add']({ label: 'pixel.png', data: pixel }, never)
  await ended(() => handlers['conversations.send']({ id: info.id, text: 'What is it?', images: [image] }, never))
  await ended(() => handlers['conversations.compact']({ id: info.id }, never))
  const [turn, summary] = server.prompts.map(({ body }) => JSON.stringify(body['messages']).slice(0, -1))
  expect(turn).toContain(`data:image/png;base64,${pixel}`)
  expect(summary?.startsWith(turn ?? '-')).toBe(true)
  expect(server.prompts).toHaveLength(2)
  const { items } = await handlers['conversations.open']({ id: info.id }, never)
  expect(items.find(({ kind }) => kind === 'summary')).toMatchObject({ by: 'model' })
})

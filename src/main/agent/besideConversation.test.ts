import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createCore, type Core } from '../core.ts'
import { inlineEdit } from '../inlineEdit/testing/inlineEditParams.ts'
import { answer, say } from '../model/scripted/scenario.ts'
import { startOneSlotServer, type OneSlotServer } from '../model/testing/oneSlotServer.ts'
import { headlessPlatform } from '../testing/headlessPlatform.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'

const never = new AbortController().signal
let core: Core | undefined
let server: OneSlotServer | undefined
let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined
afterEach(async () => {
  await core?.dispose()
  await server?.close()
  await folder?.remove()
})

it('requests beside a conversation run in another slot of llama-server, so that its prompt stays in the cache', async () => {
  folder = await temporaryFolder({ 'workspace/a.ts': 'one\n', 'user/': '' })
  server = await startOneSlotServer({
    window: 32_768,
    slots: 2,
    respond: ({ messages, tools }) =>
      answer(say(tools.length === 0 && messages[0]?.role === 'system' ? '```ts\ntwo\n```' : 'Hello!')),
  })
  const choice = { endpointId: 'e', model: 'one-slot' }
  const made = await createCore({
    platform: headlessPlatform(join(folder.root, 'user')),
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: server.url, hasKey: false }],
      model: choice,
      mode: 'yolo',
    },
  })
  core = made
  await made.openWorkspace(join(folder.root, 'workspace'))
  const { info } = await made.handlers['conversations.create']({}, never)
  const send = async (text: string) => {
    const ended = new Promise<void>((resolve) => {
      const stop = made.subscribe((name) => {
        if (name !== 'conversation.turnEnded') return
        stop()
        resolve()
      })
    })
    await made.handlers['conversations.send']({ id: info.id, text }, never)
    await ended
  }
  await send('Hi.')
  await made.handlers['inlineEdit.run'](inlineEdit(), never)
  await made.handlers['models.check'](choice, never)
  await send('And now?')
  const [first, ...others] = server.prompts
  expect(others.map(({ slot }) => slot)).toEqual([1, 1, 0])
  expect(others.at(-1)?.cached).toBeGreaterThan((first?.prompt.length ?? Infinity) - 1)
})

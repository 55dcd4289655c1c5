import { afterEach, expect, test } from 'vitest'
import type { EventName, Events } from '../../shared/protocol.ts'
import { createCore, type Core } from '../core.ts'
import { answer, call, say, type Reply, type ScriptedChatRequest } from '../model/scripted/scenario.ts'
import { startOneSlotServer, type OneSlotServer, type OneSlotServerOptions } from '../model/testing/oneSlotServer.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { headlessPlatform } from '../testing/headlessPlatform.ts'

// What a sub-agent leaves of the conversation's prompt in the server's cache.

const never = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined
let server: OneSlotServer | undefined
let core: Core | undefined
afterEach(async () => {
  await core?.dispose()
  await server?.close()
  await folder?.remove()
})

const isInvestigation = ({ messages }: ScriptedChatRequest) =>
  messages[0]?.content.startsWith('You investigate') === true

/** In each turn the model investigates and then answers; the sub-agent reads one file. */
function respond(request: ScriptedChatRequest): Reply {
  const last = request.messages.at(-1)
  if (isInvestigation(request))
    return last?.role === 'user'
      ? answer(call('read_file_range', { path: 'a.ts', start_line: 1 }))
      : answer(say('{"summary":"It is in a.ts.","findings":[]}'))
  return last?.role === 'user'
    ? answer(call('codebase_investigator', { objective: 'Where is the limit?' }))
    : answer(say('In a.ts.'))
}

/** Plays two turns. @returns what the server had in its cache for each prompt of the conversation after the first */
async function play(options: Partial<OneSlotServerOptions>) {
  folder = await temporaryFolder({ 'workspace/a.ts': 'export const limit = 10\n', 'user/': '' })
  server = await startOneSlotServer({ window: 32_768, respond, ...options })
  core = await createCore({
    platform: headlessPlatform(`${folder.root}/user`),
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: server.url, hasKey: false }],
      model: { endpointId: 'e', model: 'one-slot' },
      mode: 'yolo',
      toolset: 'blade',
    },
  })
  const made = core
  await made.openWorkspace(`${folder.root}/workspace`)
  const { info } = await made.handlers['conversations.create']({}, never)
  let progress = ''
  made.subscribe(<N extends EventName>(name: N, payload: Events[N]) => {
    // `name` determines the type of the payload, but the compiler does not narrow a type parameter.
    const shown = name === 'tool.progress' ? (payload as Events['tool.progress']).progress : undefined
    if (shown?.kind === 'text') progress += shown.text
  })
  for (const text of ['Find the limit.', 'And again?']) {
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
  const prompts = server.prompts.filter(({ body }) => !JSON.stringify(body['messages']).includes('You investigate'))
  const hits = prompts.slice(1).map(({ cached }, index) => cached >= (prompts[index]?.prompt.length ?? Infinity))
  const aside = server.prompts.filter((prompt) => !prompts.includes(prompt))
  const saves = server.paths.filter((path) => path.includes('action=save')).length
  return { prompts, hits, aside, saves, progress }
}

test('a server with one slot saves the prompt of the conversation and gets it back', async () => {
  const { hits, saves, aside, progress } = await play({ savesSlots: true })
  expect(progress).not.toContain('again')
  expect(aside).toHaveLength(4)
  expect(saves).toBe(2)
  expect(hits).toEqual([true, true, true])
})

test('a server with two slots runs the sub-agent in the other one', async () => {
  const { hits, saves, prompts, aside } = await play({ slots: 2, savesSlots: true })
  expect(saves).toBe(0)
  expect(hits).toEqual([true, true, true])
  expect(new Set(prompts.map(({ slot }) => slot))).toEqual(new Set([0]))
  expect(new Set(aside.map(({ slot }) => slot))).toEqual(new Set([1]))
})

test('a server with one slot that saves nothing reads the prompt again, and the call states it', async () => {
  const { hits, saves, progress } = await play({})
  expect(saves).toBe(1)
  expect(progress).toMatch(/reads the conversation again \([\d,]+ tokens\)/)
  expect(hits).toEqual([false, true, false])
})

test.each([
  ['fails to save a slot', { slotStatus: 500 }],
  ['reports a restored slot without restoring it', { restoresNothing: true }],
])('a server that %s is not trusted again', async (_, lies) => {
  const { hits, saves } = await play({ savesSlots: true, lies })
  expect(saves).toBe(1)
  expect(hits).toEqual([false, true, false])
})

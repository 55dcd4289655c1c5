import { expect, test } from 'vitest'
import type { Core } from '../core.ts'
import { answer, call, say, type Reply, type ScriptedChatRequest } from '../model/scripted/scenario.ts'
import type { OneSlotServerOptions } from '../model/testing/oneSlotServer.ts'
import { openOneSlotConversation } from '../testing/oneSlotConversation.ts'

// What a sub-agent leaves of the conversation's prompt in the server's cache.

const never = new AbortController().signal

const isInvestigation = ({ messages }: ScriptedChatRequest) =>
  messages[0]?.content.startsWith('You investigate') === true

const first = 'Find the limit.'

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

/**
 * Plays two turns.
 * @param between called between them
 * @returns what the server had in its cache for each prompt of the conversation after the first
 */
async function play(
  given: Partial<OneSlotServerOptions>,
  between: (options: OneSlotServerOptions, core: Core) => unknown = () => undefined,
) {
  const options = { window: 32_768, respond, ...given }
  const files = { 'a.ts': 'export const limit = 10\n' }
  const { server, core, id, send } = await openOneSlotConversation(files, options, { settings: { toolset: 'blade' } })
  await send(first)
  await between(options, core)
  await send('And again?')
  const prompts = server.prompts.filter(({ body }) => !JSON.stringify(body['messages']).includes('You investigate'))
  const hits = prompts.slice(1).map(({ cached }, index) => cached >= (prompts[index]?.prompt.length ?? Infinity))
  const aside = server.prompts.filter((prompt) => !prompts.includes(prompt))
  const saves = server.paths.filter((path) => path.includes('action=save')).length
  const { items } = await core.handlers['conversations.open']({ id }, never)
  const notes = items.flatMap((item) =>
    item.kind === 'tool' && item.result?.view.kind === 'matches' ? [item.result.view.note] : [],
  )
  return { prompts, hits, aside, saves, notes }
}

test('a server with one slot saves the prompt of the conversation and gets it back', async () => {
  const { hits, saves, aside, notes } = await play({ savesSlots: true })
  expect(notes).toEqual([undefined, undefined])
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

test('a server with one slot that saves nothing reads the prompt again, and the result states it', async () => {
  const { hits, saves, notes } = await play({})
  expect(saves).toBe(1)
  expect(notes).toEqual(Array(2).fill(expect.stringMatching(/may read the conversation again \([\d,]+ tokens\)/)))
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

test('a server that was started again with a path for slots is asked again after a refresh', async () => {
  const { hits, saves, notes } = await play({}, (options, made) => {
    options.savesSlots = true
    return made.handlers['endpoints.list']({ probe: true }, never)
  })
  expect(saves).toBe(2)
  expect(notes).toEqual([expect.stringContaining('may read'), undefined])
  expect(hits).toEqual([false, true, true])
})

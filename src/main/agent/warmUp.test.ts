import { expect, test } from 'vitest'
import type { Settings } from '../../shared/settings/settings.ts'
import { answer, say } from '../model/scripted/scenario.ts'
import type { OneSlotServer } from '../model/testing/oneSlotServer.ts'
import { openOneSlotConversation } from '../testing/oneSlotConversation.ts'

const never = new AbortController().signal

/** Opens a conversation in a window. @param pauseMs how long the server takes to prepare */
async function open(settings: Partial<Settings>, { attended = true, pauseMs = 0, slots = 1 } = {}) {
  const { server, core, send } = await openOneSlotConversation(
    { 'AGENTS.md': 'Speak briefly.\n' },
    {
      window: 32_768,
      slots,
      respond: ({ body }) =>
        body['max_tokens'] === 1 ? answer({ kind: 'pause', ms: pauseMs }, say('x')) : answer(say('Hello!')),
    },
    { attended, settings, trustWorkspace: true },
  )
  return { server, send, handlers: core.handlers }
}

/** Resolves when the server has received so many chat requests. */
async function requests(of: OneSlotServer, count: number): Promise<void> {
  while (of.prompts.length < count) await new Promise((resolve) => setImmediate(resolve))
}

test('the first prompt of a conversation finds instructions and tools in the cache', async () => {
  const { server: warmed, send } = await open({})
  await requests(warmed, 1)
  await send('Hi.')
  const [warmUp, first] = warmed.prompts
  expect(warmUp?.body).toMatchObject({ max_tokens: 1 })
  expect(warmUp?.prompt).toContain('Speak briefly.')
  expect(warmed.prompts).toHaveLength(2)
  expect(first?.cached).toBeGreaterThan((first?.prompt.length ?? Infinity) - 100)
})

test.each([1, 2])('another new conversation leaves the last prompt alone, with %s slots', async (slots) => {
  const { server: warmed, send, handlers } = await open({}, { slots })
  await requests(warmed, 1)
  await send('Hi.')
  const before = warmed.prompts.length
  await handlers['conversations.create']({}, never)
  // By the time of these answers, a prepared prompt would have arrived.
  for (let check = 0; check < 8; check += 1)
    await handlers['models.check']({ endpointId: 'e', model: 'one-slot' }, never)
  const since = warmed.prompts.slice(before)
  expect(since.filter(({ body }) => body['max_tokens'] === 1)).toEqual([])
})

test('the first message does not wait until the server is prepared', async () => {
  const { server: warmed, send } = await open({}, { pauseMs: 600_000 })
  await requests(warmed, 1)
  await send('Hi.')
  expect(warmed.prompts).toHaveLength(2)
})

test.each([
  ['it is turned off', { warmUp: 'off' as const }, true],
  ['there is no window', {}, false],
])('nothing is prepared if %s', async (_, settings, attended) => {
  const { server: cold, send } = await open(settings, { attended })
  await send('Hi.')
  expect(cold.prompts).toHaveLength(1)
  expect(cold.prompts[0]?.cached).toBe(0)
})

import { describe, expect, test } from 'vitest'
import type { ConversationItem } from '../../../shared/agent/conversation.ts'
import type { Events } from '../../../shared/bridge/protocol.ts'
import { toolsetNames } from '../../../shared/tools/risk.ts'
import { realServerNames, type RealServer } from './realServers.ts'
import { serverUnderTest, toolTemplate, workspaceOn } from './serverUnderTest.ts'
import type { RealWorkspace } from './realWorkspace.ts'

const story = 'Write a long story about a lighthouse keeper, a dog and the sea.'
const options = { calls: 'text', maxTokens: 40 } as const
const settings = { toolset: 'rusty', profile: 'minimal' } as const
/** Whether a server reports the part of a prompt that it kept. */
const reportsCache = ['llama-server', 'litellm']

const answers = (items: readonly ConversationItem[]) => items.filter((item) => item.kind === 'assistant')
const notices = (items: readonly ConversationItem[]) =>
  items.filter((item) => item.kind === 'notice').map(({ text }) => text)

for (const name of realServerNames)
  describe(`conversations at ${name}`, async () => {
    const server = await serverUnderTest(name)

    test('an answer is streamed, with its usage and speed', async (context) => {
      const workspace = await workspaceOn(server(context), { options, settings })
      const id = await workspace.newConversation()
      await workspace.turn(id, story)
      const streamed = workspace.proxy.chats().findLast(({ body }) => body['stream'] === true)
      expect(streamed?.answer.split('\n').filter((line) => line.trim() !== '').length).toBeGreaterThan(10)
      const [answer] = answers(await workspace.items(id))
      expect(answer?.text).not.toBe('')
      expect(answer?.usage).toMatchObject({ promptTokens: expect.any(Number), tokensPerSecond: expect.any(Number) })
      // llama-cpp-python reports no usage in streams.
      expect(answer?.usage?.estimated ?? false).toBe(name === 'llama-cpp-python')
      expect(answer?.model).toBe(workspace.choice.model)
    })

    test('a stopped answer ends at the server too', async (context) => {
      const running = server(context)
      const workspace = await workspaceOn(running, { options: { ...options, maxTokens: 2000 }, settings })
      const id = await workspace.newConversation()
      const stop = new AbortController()
      const turn = workspace.turn(id, story, stop.signal)
      await expect
        .poll(() => (workspace.proxy.chats().at(-1)?.answer.length ?? 0) > 2000, { timeout: 300_000 })
        .toBe(true)
      stop.abort()
      expect(await turn).toBe('cancelled')
      if (name === 'llama-server') expect(await freed(running)).toBeLessThan(1000)
    })

    test('the list has the model with its context size', async (context) => {
      const workspace = await workspaceOn(server(context))
      const [status] = await workspace.request('endpoints.list', { probe: true })
      expect(status).toMatchObject({ reachable: true })
      const model = status?.models.find(({ id }) => id === workspace.choice.model)
      expect(model).toBeDefined()
      if (name === 'llama-server' || name === 'ollama') expect(model?.contextWindow).toBe(8192)
    })

    // On a quiet machine, LiteLLM in front of llama-server showed nothing.
    test.skipIf(name === 'litellm')('the second long prompt shows how far it is read', async (context) => {
      const workspace = await workspaceOn(server(context), { options: { calls: 'text', maxTokens: 4 }, settings })
      const notes: string[] = []
      workspace.core.subscribe((event, payload) => {
        if (event !== 'conversation.status') return
        // The payload belongs to the event that was just compared.
        const { note } = payload as Events['conversation.status']
        if (note?.startsWith('Processing the prompt') === true) notes.push(note)
      })
      const lines = (of: string) => Array.from({ length: 220 }, (_, line) => `${of} ${line} is here.`).join('\n')
      const id = await workspace.newConversation()
      await workspace.turn(id, lines('One'))
      notes.length = 0
      await workspace.turn(id, lines('Two'))
      expect(notes.length).toBeGreaterThan(1)
      // The others report nothing, so it is an estimate.
      for (const note of notes) expect(note.includes('estimate')).toBe(name !== 'llama-server')
    })

    test('six turns and a restart of Tizona keep the prompt of the conversation', async (context) => {
      const workspace = await workspaceOn(server(context), { options, settings })
      await keepsPrompt(workspace, reportsCache.includes(name))
    })
  })

describe('the prompt of a conversation at llama-server', async () => {
  const server = await serverUnderTest('llama-server', { weights: 'random', window: 65_536, args: toolTemplate })
  const combined = (['native', 'text'] as const).flatMap((calls) => toolsetNames.map((toolset) => ({ calls, toolset })))

  test.for(combined)('$toolset, $calls calls: six turns and a restart keep it', async ({ calls, toolset }, context) => {
    const workspace = await workspaceOn(server(context), {
      options: { ...options, calls },
      settings: { toolset, profile: 'medium' },
    })
    await keepsPrompt(workspace, true)
  })
})

async function keepsPrompt(workspace: RealWorkspace, isReported: boolean): Promise<void> {
  const id = await workspace.newConversation()
  for (let turn = 0; turn < 7; turn++) {
    if (turn === 6) await workspace.restart()
    await workspace.turn(id, `Question ${turn}: ${prices(20, turn)} What follows?`)
  }
  const usages = answers(await workspace.items(id)).flatMap(({ usage }) => (usage ? [usage] : []))
  expect(usages.length).toBeGreaterThanOrEqual(7)
  if (!isReported) return
  for (const [at, usage] of usages.slice(1).entries())
    expect(usage.cachedTokens).toBeGreaterThan(0.98 * (usages[at]?.promptTokens ?? 0))
}

/** Text that differs for each seed. */
const prices = (count: number, seed: number): string =>
  Array.from({ length: count }, (_, at) => `Item ${at * 37 + seed} costs ${(at * 13 + seed * 7) % 97} coins.`).join(' ')

/** Milliseconds until no slot of a llama-server works. */
async function freed({ baseUrl }: RealServer): Promise<number> {
  const start = performance.now()
  for (;;) {
    const slots = (await (await fetch(`${baseUrl}/slots`)).json()) as { is_processing: boolean }[]
    if (!slots.some((slot) => slot.is_processing)) return performance.now() - start
  }
}

describe.each([2048, 4096, 8192])('compaction in a window of %i tokens', async (window) => {
  const server = await serverUnderTest('llama-server', { window })

  test('a long conversation is summarized, and no request exceeds the window', async (context) => {
    const workspace = await workspaceOn(server(context), { options, settings })
    const id = await workspace.newConversation()
    let turns = 0
    while (!(await isSummarized(workspace, id))) {
      expect(++turns).toBeLessThan(60)
      const outcome = await workspace.turn(id, `Note ${turns}: ${prices(window / 60, turns)}`)
      expect(outcome, notices(await workspace.items(id)).join('\n')).not.toBe('endpoint_failed')
    }
    await workspace.turn(id, 'What was in the first note?')
    expect(workspace.proxy.chats().filter(({ status }) => status !== 200)).toEqual([])
  })
})

const isSummarized = async (workspace: RealWorkspace, id: string): Promise<boolean> =>
  (await workspace.items(id)).some((item) => item.kind === 'summary')

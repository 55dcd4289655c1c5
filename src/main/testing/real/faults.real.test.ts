import { describe, expect, test } from 'vitest'
import type { ConversationItem } from '../../../shared/agent/conversation.ts'
import { realServerNames, startRealServer, type RealServerName } from './realServers.ts'
import { serverUnderTest, workspaceOn } from './serverUnderTest.ts'

const settings = { toolset: 'rusty', profile: 'minimal' } as const
const options = { calls: 'text', maxTokens: 60 } as const
const story = 'Write a long story about a lighthouse keeper, a dog and the sea.'

const notices = (items: readonly ConversationItem[]) =>
  items
    .filter((item) => item.kind === 'notice')
    .map(({ text }) => text)
    .join('\n')
/** About 2,800 tokens. */
const prices = Array.from({ length: 250 }, (_, at) => `Item ${at * 37} costs ${(at * 13) % 97} coins.`).join(' ')

for (const name of realServerNames)
  describe(`faults of ${name}`, async () => {
    const server = await serverUnderTest(name, { window: 2048 })

    test('a message that does not fit a window that was set too large', async (context) => {
      const workspace = await workspaceOn(server(context), { options: { ...options, contextWindow: 32_768 }, settings })
      const id = await workspace.newConversation()
      const outcome = await workspace.turn(id, prices)
      const text = notices(await workspace.items(id))
      console.log(`${name}, context full: ${outcome}: ${text}`)
      // Ollama makes its window as large as was set.
      if (name === 'ollama') expect(outcome).not.toBe('endpoint_failed')
      else expect(text).toMatch(/context|window|cut|tokens/i)
      // The next message works.
      const next = await workspace.newConversation()
      expect(await workspace.turn(next, 'Hello.')).not.toBe('endpoint_failed')
    })

    const anyName: readonly RealServerName[] = ['llama-server', 'llama-cpp-python']
    test.skipIf(anyName.includes(name))('a model that the server does not have', async (context) => {
      const workspace = await workspaceOn(server(context), { model: 'no-such-model', settings })
      const id = await workspace.newConversation()
      const outcome = await workspace.turn(id, 'Hello.')
      const text = notices(await workspace.items(id))
      console.log(`${name}, unknown model: ${outcome}: ${text}`)
      expect(outcome).toBe('endpoint_failed')
      expect(text).toContain('no-such-model')
      expect(text).not.toMatch(/another program/i)
    })

    test.skipIf(name !== 'litellm')('a wrong key', async (context) => {
      const workspace = await workspaceOn(server(context), { key: 'sk-wrong', settings })
      const id = await workspace.newConversation()
      const outcome = await workspace.turn(id, 'Hello.')
      const text = notices(await workspace.items(id))
      console.log(`${name}, wrong key: ${outcome}: ${text}`)
      expect(outcome).toBe('endpoint_failed')
      expect(text).toMatch(/key/i)
    })

    test.skipIf(name !== 'ollama')(
      'a model that was unloaded between two messages is loaded again',
      async (context) => {
        const running = server(context)
        const workspace = await workspaceOn(running, { options, settings })
        const id = await workspace.newConversation()
        await workspace.turn(id, 'Hello.')
        const body = JSON.stringify({ model: running.model, keep_alive: 0 })
        await fetch(`${running.baseUrl}/api/generate`, { method: 'POST', body })
        expect(await workspace.turn(id, 'And now?')).not.toBe('endpoint_failed')
      },
    )
  })

for (const name of ['llama-server', 'ollama', 'llama-cpp-python'] as const)
  describe(`${name}, killed in the middle of an answer`, async () => {
    const server = await serverUnderTest(name)

    test('the answer is requested again once the server runs again', async (context) => {
      const first = server(context)
      const workspace = await workspaceOn(first, { options: { ...options, maxTokens: 300 }, settings })
      const id = await workspace.newConversation()
      const turn = workspace.turn(id, story)
      await expect
        .poll(() => workspace.proxy.chats().at(-1)?.answer.length ?? 0, { timeout: 300_000 })
        .toBeGreaterThan(2000)
      await first.kill()
      const again = await startRealServer(name, { port: Number(new URL(first.baseUrl).port) })
      try {
        const outcome = await turn
        console.log(`${name}, killed: ${outcome}: ${notices(await workspace.items(id))}`)
        expect(outcome).not.toBe('endpoint_failed')
        expect(workspace.proxy.chats().length).toBeGreaterThan(1)
      } finally {
        await again.stop()
      }
    })
  })

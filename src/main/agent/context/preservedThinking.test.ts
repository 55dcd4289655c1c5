import { expect, it } from 'vitest'
import { answer, call, say, think, type ScriptedChatRequest, type StreamReply } from '../../model/scripted/scenario.ts'
import type { OneSlotServerOptions } from '../../model/testing/oneSlotServer.ts'
import { openOneSlotConversation } from '../../testing/oneSlotConversation.ts'

// Models such as Qwen3.6, whose template keeps all thinking in the prompt (`preserve_thinking`).

const never = new AbortController().signal
const window = 24_576

/** A model that thinks long before each call and each answer. */
function thinker(): (request: ScriptedChatRequest) => StreamReply {
  let thoughts = 0
  return ({ messages }) => {
    if (messages.at(-1)?.content.includes('Write your notes'))
      return answer(say('Task and state: the limit was read several times, and nothing else was found.'))
    thoughts += 1
    const parts = Array.from({ length: 60 }, (_, at) => `thought ${thoughts}.${at} about the limit in this file, `)
    const thought = think(parts.join(''))
    return messages.at(-1)?.role === 'user'
      ? answer(thought, call('read_file', { path: 'a.ts' }))
      : answer(thought, say('It is 10.'))
  }
}

/** @returns the counted and the real tokens of each request that was answered */
async function converse(turns: number, options: Partial<OneSlotServerOptions> = {}) {
  const { server, core, id, send } = await openOneSlotConversation(
    { 'a.ts': 'export const limit = 10\n'.repeat(60) },
    { window, template: 'keepsThinking', respond: thinker(), ...options },
    { settings: { model: { endpointId: 'e', model: 'qwen3.6-27b' }, toolset: 'blade' } },
  )
  for (let turn = 0; turn < turns; turn += 1) await send(`What is the limit? (${turn})`)
  const { items } = await core.handlers['conversations.open']({ id }, never)
  const sizes = items.flatMap((item) => {
    if (item.kind !== 'assistant' || !item.context || !item.usage) return []
    const { system, tools, files, conversation, rewritten } = item.context
    return [{ counted: system + tools + files + conversation, real: item.usage.promptTokens, rewritten }]
  })
  return { sizes, server, items }
}

it('counts the thinking in the prompt: compaction comes in time, and no request is refused', async () => {
  const { sizes, server: used } = await converse(16)
  expect(used.refused()).toBe(0)
  const compactions = sizes.flatMap(({ rewritten }, at) => (rewritten ? [at] : []))
  expect(compactions.length).toBeGreaterThan(0)
  for (const { counted, real } of sizes) {
    expect(counted).toBeGreaterThan(real * 0.85)
    expect(counted).toBeLessThan(real * 1.15)
  }
  // The prompt before a compaction has used the window.
  for (const at of compactions) expect(sizes[at - 1]?.real).toBeGreaterThan(window * 0.7)
})

it('estimates the thinking where the server counts no requests', async () => {
  const { sizes, server: used } = await converse(16, { counts: false })
  expect(used.refused()).toBe(0)
  for (const { counted, real } of sizes) {
    expect(counted).toBeGreaterThan(real * 0.8)
    expect(counted).toBeLessThan(real * 1.2)
  }
})

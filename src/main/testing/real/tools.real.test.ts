import { describe, expect, test } from 'vitest'
import { toolCallMethods, type ToolCallMethod } from '../../../shared/settings/toolCallMethods.ts'
import type { PromptProfile } from '../../../shared/agent/promptProfile.ts'
import { toolsetNames } from '../../../shared/tools/risk.ts'
import type { RealWeights } from './realParts.ts'
import { realServerNames, type RealServerName } from './realServers.ts'
import { promptTokens } from './realWorkspace.ts'
import { serverUnderTest, toolTemplate, workspaceOn } from './serverUnderTest.ts'

/** Tokens of an answer. What a model of this size writes does not matter here. */
const maxTokens = 12
const files = { 'notes.md': '# Launch\n\nThe launch date is 14 May.\n' }

/** Guided turns need a server that constrains answers. */
const ways: Readonly<Record<RealServerName, readonly ToolCallMethod[]>> = {
  'llama-server': toolCallMethods,
  ollama: toolCallMethods,
  // It drops the tools of a request.
  'llama-cpp-python': ['text'],
  // It passes the schema on to the llama-server behind it.
  litellm: toolCallMethods,
}
/**
 * A long prompt takes SmolLM2 minutes on a busy core. Whether a server accepts it, and what reaches the model, does not
 * depend on the weights.
 */
const models: readonly { weights: RealWeights; window: number; profiles: readonly PromptProfile[] }[] = [
  { weights: 'smollm2', window: 8192, profiles: ['minimal', 'compact'] },
  { weights: 'random', window: 65_536, profiles: ['medium', 'full'] },
]
const cases = realServerNames.flatMap((name) => models.map((model) => ({ name, ...model })))

describe.each(cases)('tools at $name with $weights', async ({ name, weights, window, profiles }) => {
  const server = await serverUnderTest(name, { weights, window, args: toolTemplate })
  const combined = profiles.flatMap((profile) => toolsetNames.map((toolset) => ({ profile, toolset })))

  describe.each(ways[name])('%s calls', (way) => {
    test.for(combined)(
      '$toolset, $profile: the request is accepted, and the tools are in it',
      async (each, context) => {
        const running = server(context)
        // Ollama finds no template in the random weights.
        const needsTemplate = way === 'native' || weights === 'random'
        const model = name === 'ollama' && needsTemplate ? `${weights}-tools:latest` : running.model
        const workspace = await workspaceOn(running, {
          files,
          model,
          // The random weights have a token for each byte, so their prompts are longer than what Ollama gets by default.
          options: { calls: way, maxTokens, ...(weights === 'random' && { contextWindow: window }) },
          settings: { ...each, maxTurns: 1 },
        })
        const id = await workspace.newConversation()
        const outcome = await workspace.turn(id, 'Read notes.md and tell me the launch date.')
        expect(outcome).not.toBe('endpoint_failed')
        const chats = workspace.proxy.chats()
        expect(chats.filter(({ status }) => status !== 200)).toEqual([])
        if (way === 'guided') expect(chats.some(({ body }) => 'response_format' in body || 'format' in body)).toBe(true)
        const asked = chats.findLast(({ body }) => body['stream'] === true)
        if (!asked) throw new Error('No chat was streamed.')
        await toolsArrive(way, running, asked)
      },
    )
  })
})

/** Proves by the size of the prompt, with and without them, that the tools of a request reach the model. */
async function toolsArrive(
  way: ToolCallMethod,
  server: Parameters<typeof promptTokens>[0],
  asked: Parameters<typeof promptTokens>[1],
): Promise<void> {
  const { tools, messages } = asked.body as { tools?: unknown[]; messages: { role: string; content: string }[] }
  if (way === 'guided') {
    // The alternatives are in the schema, which constrains the answer and is not part of the prompt.
    expect(tools).toBeUndefined()
    return
  }
  const [withTools, without] =
    tools === undefined
      ? [messages.find(({ role }) => role === 'system')?.content ?? '', { messages: messages.slice(1) }]
      : [JSON.stringify(tools), { tools: undefined }]
  const difference = (await promptTokens(server, asked)) - (await promptTokens(server, asked, without))
  // No template writes more than ten characters as one token.
  expect(difference).toBeGreaterThan(withTools.length / 10)
}

import { describe, expect, test } from 'vitest'
import { callWays, type CallWay } from '../../../shared/callWays.ts'
import { promptProfiles } from '../../../shared/promptProfile.ts'
import { toolsetNames } from '../../../shared/risk.ts'
import { realServerNames, type RealServerName } from './realServers.ts'
import { promptTokens } from './realWorkspace.ts'
import { serverUnderTest, toolTemplate, workspaceOn } from './serverUnderTest.ts'

/** Tokens of an answer. What a model of this size writes does not matter here. */
const maxTokens = 12
const files = { 'notes.md': '# Launch\n\nThe launch date is 14 May.\n' }

/** Guided turns need a server that constrains answers. */
const ways: Readonly<Record<RealServerName, readonly CallWay[]>> = {
  'llama-server': callWays,
  ollama: callWays,
  'llama-cpp-python': ['native', 'text'],
  litellm: ['native', 'text'],
}
const cases = promptProfiles.flatMap((profile) => toolsetNames.map((toolset) => ({ profile, toolset })))

for (const name of realServerNames)
  describe(`tools at ${name}`, async () => {
    const server = await serverUnderTest(name, { window: 16_384, args: toolTemplate })
    describe.each(ways[name])('%s calls', (way) => {
      test.for(cases)('$toolset, $profile: the request is accepted, and the tools are in it', async (each, context) => {
        const running = server(context)
        const model = name === 'ollama' && way === 'native' ? 'smollm2-tools:latest' : running.model
        const workspace = await workspaceOn(running, {
          files,
          model,
          options: { calls: way, maxTokens },
          settings: { toolset: each.toolset, profile: each.profile, maxTurns: 1 },
        })
        const id = await workspace.newConversation()
        const outcome = await workspace.turn(id, 'Read notes.md and tell me the launch date.')
        expect(outcome).not.toBe('endpoint_failed')
        const chats = workspace.proxy.chats()
        expect(chats.filter(({ status }) => status !== 200)).toEqual([])
        const asked = chats.findLast(({ body }) => body['stream'] === true)
        if (!asked) throw new Error('No chat was streamed.')
        await toolsArrive(way, running, asked)
      })
    })
  })

/** Proves by the size of the prompt, with and without them, that the tools of a request reach the model. */
async function toolsArrive(
  way: CallWay,
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

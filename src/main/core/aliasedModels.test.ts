import { expect, onTestFinished, test } from 'vitest'
import { serve } from '../model/testing/modelServer.ts'
import { reviewedFolder, type ReviewedFolder } from '../review/testing/reviewedFolder.ts'

type Message = { role: string; tool_calls?: unknown; reasoning_content?: string }

const thoughts = ['First I read the note.', 'Now the other one.', 'Both are known.']

/**
 * Starts a server whose model thinks before each of two calls, under an alias, and answers then.
 * @param strict refuses calls without their reasoning, as Moonshot's server does
 */
async function thinkingServer({ strict = false, props }: { strict?: boolean; props?: object }) {
  const requests: Message[][] = []
  const { url } = await serve((request, response, body) => {
    const json = (status: number, value: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (request.url === '/v1/models') return json(200, { data: [{ id: 'scripted', owned_by: 'me' }] })
    if (request.url === '/props' && props) return json(200, props)
    if (request.url !== '/v1/chat/completions') return json(404, {})
    const { messages, tools } = JSON.parse(body) as { messages: Message[]; tools?: unknown[] }
    if (!tools) return json(200, { choices: [{ message: { content: 'A title' }, finish_reason: 'stop' }] })
    requests.push(messages)
    const missing = messages.findIndex((each) => each.tool_calls !== undefined && !each.reasoning_content)
    if (strict && missing !== -1)
      return json(400, {
        error: {
          message: `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${missing}`,
          type: 'invalid_request_error',
        },
      })
    const step = messages.filter(({ role }) => role === 'tool').length % 3
    const call = {
      id: `call${requests.length}`,
      type: 'function',
      function: { name: 'read_file', arguments: JSON.stringify({ path: step === 0 ? 'a.txt' : 'b.txt' }) },
    }
    json(200, {
      choices: [
        step === 2
          ? { message: { reasoning_content: thoughts[2], content: 'One and two.' }, finish_reason: 'stop' }
          : {
              message: { reasoning_content: thoughts[step], content: '', tool_calls: [call] },
              finish_reason: 'tool_calls',
            },
      ],
    })
  })
  const folder = await reviewedFolder({ 'a.txt': 'one\n', 'b.txt': 'two\n' }, url)
  onTestFinished(() => folder.remove())
  return { folder, requests }
}

const newConversation = async (folder: ReviewedFolder) => (await folder.request('conversations.create', {})).info.id

const reasoningOf = (messages: Message[] | undefined) =>
  messages?.flatMap((each) => (each.tool_calls === undefined ? [] : [each.reasoning_content]))

test('a strict server gets the reasoning of calls under any name of the model, after its first refusal', async () => {
  const { folder, requests } = await thinkingServer({ strict: true })
  const id = await newConversation(folder)
  await folder.turn(id, 'Read both notes.')
  // The second request is refused and sent again, and the third has the thoughts.
  expect(requests).toHaveLength(4)
  expect(reasoningOf(requests.at(-1))).toEqual(thoughts.slice(0, 2))
  // The next turn of the conversation, and another conversation, are accepted at once.
  await folder.turn(id, 'Again.')
  await folder.turn(await newConversation(folder), 'Read both notes.')
  expect(requests).toHaveLength(8)
  expect(reasoningOf(requests.at(-1))).toEqual(thoughts.slice(0, 2))
})

const llamaServer = { default_generation_settings: { n_ctx: 32_768 }, total_slots: 1, modalities: {} }

test('reasoning is sent back if the template of an aliased model uses it, and not otherwise', async () => {
  const template = (used: string) => ({
    ...llamaServer,
    chat_template: `{{ message.content }}${used}`,
    chat_template_caps: { supports_tools: true },
  })
  const using = await thinkingServer({ props: template('{{ message.reasoning_content }}') })
  await using.folder.turn(await newConversation(using.folder), 'Read both notes.')
  expect(reasoningOf(using.requests.at(-1))).toEqual(thoughts.slice(0, 2))
  const ignoring = await thinkingServer({ props: template('{% if enable_thinking %}{% endif %}') })
  await ignoring.folder.turn(await newConversation(ignoring.folder), 'Read both notes.')
  expect(reasoningOf(ignoring.requests.at(-1))).toEqual([undefined, undefined])
})

test('a new conversation gets the toolset of the model behind an alias', async () => {
  const { folder } = await thinkingServer({ props: { ...llamaServer, model_path: '/models/gpt-oss-20b-mxfp4.gguf' } })
  await folder.request('endpoints.list', { probe: true })
  expect((await folder.request('conversations.create', {})).info.toolset).toBe('rusty')
})

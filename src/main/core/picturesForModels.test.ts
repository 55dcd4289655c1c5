import { expect, onTestFinished, test } from 'vitest'
import { serve } from '../model/testing/modelServer.ts'
import { reviewedFolder } from '../review/testing/reviewedFolder.ts'

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Runs a turn in a folder with a picture. The model reads it, and answers. @returns the messages of both requests */
async function messagesOf(vision: boolean, text: string): Promise<unknown[][]> {
  const requests: unknown[][] = []
  const { url } = await serve((request, response, body) => {
    const json = (status: number, value: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (request.url === '/v1/models') return json(200, { data: [{ id: 'scripted', owned_by: 'llamacpp' }] })
    if (request.url === '/props')
      return json(200, {
        default_generation_settings: { n_ctx: 32_768 },
        total_slots: 1,
        modalities: { vision },
        chat_template: '{{ message.content }}',
        chat_template_caps: { supports_tools: true },
      })
    if (request.url !== '/v1/chat/completions') return json(404, {})
    const { messages, tools } = JSON.parse(body) as { messages: unknown[]; tools?: unknown[] }
    if (!tools) return json(200, { choices: [{ message: { content: 'A title' }, finish_reason: 'stop' }] })
    requests.push(messages)
    const call = { id: 'c', type: 'function', function: { name: 'read_file', arguments: '{"path":"dot.png"}' } }
    const message = requests.length === 1 ? { content: '', tool_calls: [call] } : { content: 'A dot.' }
    json(200, { choices: [{ message, finish_reason: requests.length === 1 ? 'tool_calls' : 'stop' }] })
  })
  const folder = await reviewedFolder({ 'dot.png': Buffer.from(pixel, 'base64') }, url)
  onTestFinished(() => folder.remove())
  await folder.request('endpoints.list', { probe: true })
  const { info } = await folder.request('conversations.create', {})
  await folder.turn(info.id, text)
  return requests
}

const shown = { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } }

test('a model that supports images sees a picture that it reads', async () => {
  const [, second] = await messagesOf(true, 'What is in dot.png?')
  expect(second?.slice(-2)).toMatchObject([
    { role: 'tool', content: expect.stringContaining('A picture of 1 × 1 pixels.') },
    { role: 'user', content: [{ type: 'text', text: '[The result of read_file:]' }, shown] },
  ])
})

test('a picture that a message mentions is attached to it', async () => {
  const [first] = await messagesOf(true, 'What is in @dot.png?')
  expect(first?.at(-1)).toMatchObject({ role: 'user', content: [{ type: 'text' }, shown] })
})

test('a model without support for images learns that there is a picture', async () => {
  const [, second] = await messagesOf(false, 'What is in @dot.png?')
  expect(JSON.stringify(second)).not.toContain(pixel)
  expect(second?.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('does not support images') })
})

import { expect, test } from 'vitest'
import type { ChatMessage } from '../modelClient.ts'
import { validHistory } from './validHistory.ts'
import { createOllamaClient } from './ollamaClient.ts'
import { createOpenAiClient } from './openAiClient.ts'
import { chatRequest, collect, delta, serve } from '../testing/modelServer.ts'

const image = { id: 'h', label: 'a.png', mimeType: 'image/png', data: 'AAAA' }
const messages: ChatMessage[] = [{ role: 'user', content: 'what is it?', images: [image] }]

/** The body of the one request that a client sends. */
async function bodyOf(made: (url: string) => Parameters<typeof collect>[0], answer: string): Promise<unknown> {
  const bodies: unknown[] = []
  const { url } = await serve((_request, response, body) => {
    bodies.push(JSON.parse(body))
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer)
  })
  await collect(made(url), chatRequest({ messages }))
  return bodies[0]
}

test('an image is sent to an OpenAI-compatible server as a data URL beside the text', async () => {
  const body = await bodyOf(
    (baseUrl) => createOpenAiClient({ name: 'E', baseUrl }),
    `data: ${JSON.stringify(delta({ content: 'A cat.' }, 'stop'))}\n\ndata: [DONE]\n\n`,
  )
  const content = [
    { type: 'text', text: 'what is it?' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
  ]
  expect(body).toMatchObject({ messages: [{ role: 'user', content }] })
})

test('an image is sent to Ollama as base64', async () => {
  const body = await bodyOf(
    (baseUrl) => createOllamaClient({ name: 'O', baseUrl }),
    '{"message":{"role":"assistant","content":"A cat."},"done":true,"done_reason":"stop"}\n',
  )
  expect(body).toMatchObject({ messages: [{ role: 'user', content: 'what is it?', images: ['AAAA'] }] })
})

test('merged user messages keep the images of both', () => {
  const other = { ...image, id: 'i' }
  expect(validHistory([...messages, { role: 'user', content: 'and this?', images: [other] }])).toEqual([
    { role: 'user', content: 'what is it?\n\nand this?', images: [image, other] },
  ])
})

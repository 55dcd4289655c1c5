import { expect, onTestFinished, test } from 'vitest'
import { serve } from '../model/testing/modelServer.ts'
import { reviewedFolder } from '../review/testing/reviewedFolder.ts'

const window = 4096

test('after a server truncated a prompt silently, the next request of the turn fits', async () => {
  const sizes: number[] = []
  const { url } = await serve((request, response, body) => {
    const json = (value: object) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (request.url === '/v1/models') return json({ data: [{ id: 'scripted' }] })
    if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end()
    const { messages, tools } = JSON.parse(body) as { messages: { role: string }[]; tools?: object[] }
    if (!tools) return json({ choices: [{ message: { content: 'A title' }, finish_reason: 'stop' }] })
    const tokens = Math.ceil(JSON.stringify([messages, tools]).length / 4.2)
    sizes.push(tokens)
    const usage = { prompt_tokens: Math.min(tokens, window), completion_tokens: 9 }
    const number = sizes.length
    const call = {
      id: `call${number}`,
      type: 'function',
      function: { name: 'read_file', arguments: JSON.stringify({ path: `${number}.ts` }) },
    }
    const message = number <= 4 ? { content: '', tool_calls: [call] } : { content: 'All are read.' }
    json({ choices: [{ message, finish_reason: number <= 4 ? 'tool_calls' : 'stop' }], usage })
  })
  const source = (file: number) =>
    Array.from({ length: 250 }, (_, line) => `export const value${file}_${line} = compute(${line * file})\n`).join('')
  const folder = await reviewedFolder(Object.fromEntries([1, 2, 3, 4].map((file) => [`${file}.ts`, source(file)])), url)
  onTestFinished(() => folder.remove())
  const { info } = await folder.request('conversations.create', {})
  await folder.turn(info.id, 'Read the four files.')
  expect(sizes).toHaveLength(5)
  const cut = sizes.findIndex((size) => size > window)
  expect(cut).toBeLessThan(3)
  const noticed = sizes.findIndex((size, at) => at > cut && size <= window)
  expect(noticed).toBeLessThan(cut + 3)
  expect(sizes.slice(noticed).every((size) => size <= window)).toBe(true)
})

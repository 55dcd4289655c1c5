import { expect, it } from 'vitest'
import { answer, say } from '../../model/scripted/scenario.ts'
import { openOneSlotConversation } from '../../testing/oneSlotConversation.ts'

const never = new AbortController().signal
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

it('a summary in place sends the images of the conversation, whose prompt it continues', async () => {
  const { server, core, id, ended } = await openOneSlotConversation(
    { 'a.ts': 'one\n' },
    {
      window: 32_768,
      respond: () => answer(say('Task and state: the image shows one pixel, and nothing else was asked.')),
    },
  )
  const { handlers } = core
  const image = await handlers['images.add']({ label: 'pixel.png', data: pixel }, never)
  await ended(() => handlers['conversations.send']({ id, text: 'What is it?', images: [image] }, never))
  await ended(() => handlers['conversations.compact']({ id }, never))
  const [turn, summary] = server.prompts.map(({ body }) => JSON.stringify(body['messages']).slice(0, -1))
  expect(turn).toContain(`data:image/png;base64,${pixel}`)
  expect(summary?.startsWith(turn ?? '-')).toBe(true)
  expect(server.prompts).toHaveLength(2)
  const { items } = await handlers['conversations.open']({ id }, never)
  expect(items.find(({ kind }) => kind === 'summary')).toMatchObject({ by: 'model' })
})

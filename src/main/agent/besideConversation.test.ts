import { expect, it } from 'vitest'
import { inlineEdit } from '../inlineEdit/testing/inlineEditParams.ts'
import { answer, say } from '../model/scripted/scenario.ts'
import { openOneSlotConversation } from '../testing/oneSlotConversation.ts'

const never = new AbortController().signal

it('the prompt of a conversation stays in the cache of llama-server beside other requests, none of which names a slot', async () => {
  const { server, core, send } = await openOneSlotConversation(
    { 'a.ts': 'one\n' },
    {
      window: 32_768,
      slots: 2,
      cachesPrompts: true,
      respond: ({ messages, tools }) =>
        answer(say(tools.length === 0 && messages[0]?.role === 'system' ? '```ts\ntwo\n```' : 'Hello!')),
    },
  )
  await send('Hi.')
  await core.handlers['inlineEdit.run'](inlineEdit(), never)
  await core.handlers['models.check']({ endpointId: 'e', model: 'one-slot' }, never)
  await send('And now?')
  const [first, ...others] = server.prompts
  expect(others).toHaveLength(3)
  expect(server.prompts.filter(({ body }) => 'id_slot' in body)).toEqual([])
  expect(others.at(-1)?.cached).toBeGreaterThan((first?.prompt.length ?? Infinity) - 1)
})

import { expect, it } from 'vitest'
import { assistantItem } from '../../agent/conversation/items.ts'
import { createSessionSettings } from './configOptions.ts'
import { createSessionUpdates } from './sessionUpdates.ts'

it('an answer that follows text which was reasoning is a message of its own', () => {
  const updates = createSessionUpdates({
    conversationId: 'c',
    settings: createSessionSettings('safe', 'folder', false),
    showsNotices: true,
    showsTerminals: false,
    root: '/w',
    tool: () => undefined,
  })
  const item = assistantItem('m', undefined)
  const delta = (text: string) => updates.of('conversation.delta', { conversationId: 'c', itemId: item.id, text })
  expect(delta('I should look.')).toMatchObject([{ sessionUpdate: 'agent_message_chunk', messageId: item.id }])
  const reclassified = { ...item, text: '', reasoning: 'I should look.' }
  expect(updates.of('conversation.item', { conversationId: 'c', item: reclassified, isNew: false })).toEqual([])
  const [answer] = delta('Hello.')
  expect(answer).toMatchObject({ sessionUpdate: 'agent_message_chunk', content: { text: 'Hello.' } })
  expect(answer).not.toMatchObject({ messageId: item.id })
  const done = { ...reclassified, text: 'Hello.', state: 'done' as const }
  expect(updates.of('conversation.item', { conversationId: 'c', item: done, isNew: false })).toEqual([])
})

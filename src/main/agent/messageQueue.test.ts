import { afterEach, beforeEach, expect, it } from 'vitest'
import { createConversationStore, type ConversationStore } from '../history/conversations.ts'
import { openDatabase } from '../history/database.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createMessageQueue } from './messageQueue.ts'

let data: Awaited<ReturnType<typeof temporaryFolder>>
let store: ConversationStore
let close: () => void

beforeEach(async () => {
  data = await temporaryFolder()
  const { db } = await openDatabase(data.root)
  close = () => db.close()
  store = createConversationStore(db)
  store.save({
    id: 'c',
    title: 'T',
    createdAt: 1,
    updatedAt: 1,
    workspace: '/w',
    mode: 'plan',
    modeBeforePlan: 'cautious',
    toolset: 'blade',
  })
})
afterEach(async () => {
  close()
  await data.remove()
})

it('the queue survives a kill in order, without messages already sent', () => {
  const queue = createMessageQueue('c', store, new Set())
  for (const id of ['1', '2', '3']) queue.add({ id, text: id })
  queue.change('2', { steer: true, text: 'now' })
  queue.remove('3')
  const again = createMessageQueue('c', store, new Set(['1']))
  expect(again.list()).toEqual([{ id: '2', text: 'now', steer: true }])
  expect(() => again.change('1', { text: 'late' })).toThrow('is no longer queued')
  again.remove('2')
  expect(store.queue('c')).toEqual([])
})

it('a message that cannot be stored is not queued', () => {
  const queue = createMessageQueue(
    'c',
    {
      queue: () => [],
      changeQueue: () => {
        throw new Error('full')
      },
    },
    new Set(),
  )
  expect(() => queue.add({ id: '1', text: 'lost?' })).toThrow('full')
  expect(queue.list()).toEqual([])
})

it('the mode before planning is stored with the conversation', () => {
  expect(store.get('c').modeBeforePlan).toBe('cautious')
})

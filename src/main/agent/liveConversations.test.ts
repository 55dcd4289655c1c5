import { afterEach, beforeEach, expect, it } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import type { ConversationStore } from '../history/conversations.ts'
import { createEditJournal } from '../history/editJournal.ts'
import { openTemporaryStore, type TemporaryStore } from '../testing/conversationStore.ts'
import { createLiveConversations } from './liveConversations.ts'

let opened: TemporaryStore
let store: ConversationStore
const settings = settingsSchema.parse({})
const onOutsideContent = () => undefined

beforeEach(async () => {
  opened = await openTemporaryStore()
  store = opened.store
})
afterEach(() => opened.close())

/** Adds large conversations to the store. @returns their ids */
function addConversations(count: number): string[] {
  return Array.from({ length: count }, (_, number) => {
    const id = `c${number}`
    store.add(
      { id, workspace: '/w', title: id, createdAt: 1, updatedAt: 2, mode: 'safe', toolset: 'blade' },
      Array.from({ length: 50 }, (_item, index) => ({
        id: `${id}-${index}`,
        kind: 'user' as const,
        at: 1,
        text: 'x'.repeat(5000),
      })),
    )
    return id
  })
}

it('idle conversations leave memory and are restored completely from the store', () => {
  const live = createLiveConversations({ store, emit: () => undefined, settings: () => settings, onOutsideContent })
  const ids = addConversations(60)
  for (const id of ids) expect(live.snapshot(id).items).toHaveLength(50)
  // Only the most recently used ones and the visible one.
  expect(live.all().length).toBeLessThanOrEqual(10)
  expect(live.find('c59')).toBeDefined()
  expect(live.find('c0')).toBeUndefined()
  expect(live.snapshot('c0')).toMatchObject({ info: { id: 'c0' }, running: false, items: store.items('c0') })
})

it('a conversation with a running turn or queued messages stays in memory', () => {
  const live = createLiveConversations({ store, emit: () => undefined, settings: () => settings, onOutsideContent })
  const ids = addConversations(30)
  const running = live.use('c0')
  running.turn = { controller: new AbortController(), ended: Promise.resolve(), stoppedFor: [] }
  const waiting = live.use('c1')
  waiting.queue.add({ id: 'q', text: 'later', steer: false })
  for (const id of ids.slice(2)) live.snapshot(id)
  expect([live.find('c0'), live.find('c1')]).toEqual([running, waiting])
  running.turn = undefined
  for (const id of ids.slice(2)) live.snapshot(id)
  expect(live.find('c0')).toBeUndefined()
})

it('an edit that was undone while its conversation was not in memory is marked when the conversation is opened', async () => {
  const workspace = '/w'
  const files = new Map([['a.txt', 'after']])
  const journal = createEditJournal(opened.opened.db, workspace, {
    read: async (path) => files.get(path) ?? null,
    write: async (path, text) => void files.set(path, text),
    remove: async (path) => void files.delete(path),
  })
  const editId = journal.record('call', [{ path: 'a.txt', before: 'before', after: 'after' }])
  const view = { kind: 'diff' as const, files: [], editId }
  store.add({ id: 'edited', workspace, title: 'edited', createdAt: 1, updatedAt: 2, mode: 'safe', toolset: 'blade' }, [
    {
      id: 'card',
      kind: 'tool',
      at: 1,
      assistantId: 'a',
      callId: 'call',
      name: 'edit_file',
      arguments: '{}',
      state: 'done',
      result: { ok: true, text: 'Edited.', view, elapsedMs: 1, arguments: {}, truncated: false },
    },
  ])
  const live = createLiveConversations({ store, emit: () => undefined, settings: () => settings, onOutsideContent })
  expect(live.snapshot('edited').items[0]).not.toHaveProperty('undone')
  for (const id of addConversations(20)) live.snapshot(id)
  expect(live.find('edited')).toBeUndefined()
  await journal.undo(editId ?? '')
  expect(live.snapshot('edited').items[0]).toMatchObject({ id: 'card', undone: true })
})

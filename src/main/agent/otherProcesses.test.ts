import { spawn, type ChildProcess } from 'node:child_process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import type { Events } from '../../shared/bridge/protocol.ts'
import { processOf } from '../base/processIdentity.ts'
import type { ConversationStore } from '../history/conversations.ts'
import { openTemporaryStore, type TemporaryStore } from '../testing/conversationStore.ts'
import { createLiveConversations, type LiveConversations } from './liveConversations.ts'

let opened: TemporaryStore
let store: ConversationStore
let other: ChildProcess
let live: LiveConversations
let events: [name: string, payload: unknown][]

const user = (id: string) => ({ id, kind: 'user' as const, at: 1, text: id })
const statuses = () =>
  events.flatMap(([name, payload]) =>
    name === 'conversation.status' ? [payload as Events['conversation.status']] : [],
  )
const queues = () => statuses().map(({ queue }) => queue.map(({ text }) => text))

beforeEach(async () => {
  opened = await openTemporaryStore()
  store = opened.store
  other = spawn('sleep', ['600'], { stdio: 'ignore' })
  events = []
  live = createLiveConversations({
    store,
    emit: (name, payload) => void events.push([name, payload]),
    settings: () => settingsSchema.parse({}),
    onOutsideContent: () => undefined,
  })
  store.add({ id: 'c', workspace: '/w', title: 'c', createdAt: 1, updatedAt: 2, mode: 'safe', toolset: 'blade' }, [
    user('first'),
  ])
})
afterEach(async () => {
  live.close()
  other.kill('SIGKILL')
  await opened.close()
})

/** Marks the other process as the one that runs the turn. */
function runElsewhere(): void {
  const pid = other.pid ?? 0
  store.setRunner('c', { pid, start: processOf(pid).start, since: Date.now() })
}

it('a message sent while another process runs the turn is queued there, and stays when this window closes', () => {
  runElsewhere()
  expect(live.snapshot('c')).toMatchObject({ running: true, queue: [] })
  expect(live.queueElsewhere('c', { id: 'q1', text: 'one' })).toBe(true)
  expect(live.queueElsewhere('c', { id: 'q2', text: 'two' })).toBe(true)
  live.close()
  expect(store.queue('c').map(({ text }) => text)).toEqual(['one', 'two'])
  expect(queues()).toEqual([['one'], ['one', 'two']])
})

it('a window that shows the turn of another process sees what that queues, removes, sends and finishes', async () => {
  runElsewhere()
  live.snapshot('c')
  live.queueElsewhere('c', { id: 'q1', text: 'mine' })
  store.changeQueue('c', (queue) => [...queue, { id: 'q2', text: 'theirs' }])
  await expect.poll(queues).toEqual([['mine'], ['mine', 'theirs']])
  // The other process sends the first one.
  store.saveItem('c', user('q1'))
  store.changeQueue('c', (queue) => queue.slice(1))
  await expect.poll(() => queues().at(-1)).toEqual(['theirs'])
  const shown = () =>
    events.filter(([name]) => name === 'conversation.item').map(([, payload]) => JSON.stringify(payload))
  expect(shown().some((item) => item.includes('"q1"'))).toBe(true)
  live.changeQueue('c', (queue) => queue.remove('q2'))
  expect(store.queue('c')).toEqual([])
  store.saveItem('c', user('answer'))
  store.setRunner('c', null)
  await expect.poll(() => statuses().at(-1)).toMatchObject({ running: false, queue: [] })
  expect(shown().some((item) => item.includes('"answer"'))).toBe(true)
})

it('labels that another process changed stay when this one saves the conversation', () => {
  const entry = live.use('c')
  store.label('c', { title: 'Renamed', pinned: true })
  expect(live.saveInfo(entry, { mode: 'yolo' })).toMatchObject({ title: 'Renamed', pinned: true, mode: 'yolo' })
  expect(store.get('c')).toMatchObject({ title: 'Renamed', pinned: true, mode: 'yolo' })
  store.label('c', { archived: true })
  expect(live.use('c').info).toMatchObject({ title: 'Renamed', archived: true })
})

it('a conversation whose turn runs in another process can be labelled, which is no use of it', () => {
  live.use('c')
  runElsewhere()
  expect(live.label('c', { title: 'Mine' })).toMatchObject({ title: 'Mine', updatedAt: 2 })
})

it('a message that another window queues appears beside the turn that runs here', async () => {
  const entry = live.use('c')
  entry.turn = { controller: new AbortController(), ended: Promise.resolve(), stoppedFor: [] }
  live.status(entry)
  await expect.poll(() => queues()).toEqual([[]])
  store.changeQueue('c', (queue) => [...queue, { id: 'q', text: 'from there' }])
  await expect.poll(() => queues().at(-1)).toEqual(['from there'])
  expect(entry.queue.list()).toMatchObject([{ id: 'q' }])
})

it('no message is queued for a turn that has ended', () => {
  expect(live.queueElsewhere('c', { id: 'q', text: 'late' })).toBe(false)
  expect(store.queue('c')).toEqual([])
})

it('a conversation that another process continued since is loaded again before it is used', () => {
  live.snapshot('c')
  store.saveItem('c', user('second'))
  store.save({ ...store.get('c'), updatedAt: 3 })
  expect(
    live
      .use('c')
      .transcript.items()
      .map(({ id }) => id),
  ).toEqual(['first', 'second'])
  expect(events.map(([name]) => name)).toEqual(['conversation.item', 'conversation.info'])
})

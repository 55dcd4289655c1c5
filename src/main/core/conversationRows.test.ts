import { spawn, type ChildProcess } from 'node:child_process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ConversationItem } from '../../shared/agent/conversation.ts'
import { processOf } from '../base/processIdentity.ts'
import { openTemporaryStore, type TemporaryStore } from '../testing/conversationStore.ts'
import { createConversationRows, type ConversationRows } from './conversationRows.ts'

let opened: TemporaryStore
let rows: ConversationRows
let other: ChildProcess | undefined

beforeEach(async () => {
  opened = await openTemporaryStore()
  rows = createConversationRows({
    agent: { peek: () => undefined },
    gate: { pending: () => [] },
    store: opened.store,
    jobs: () => undefined,
  })
})
afterEach(async () => {
  other?.kill('SIGKILL')
  await opened.close()
})

const user: ConversationItem = { id: 'u', kind: 'user', at: 1, text: 'go' }
const answer: ConversationItem = { id: 'a', kind: 'assistant', at: 2, text: 'Done.', reasoning: '', state: 'done' }

function add(id: string, updatedAt: number, items: ConversationItem[], archived = false): void {
  const info = { id, workspace: '/w', title: id, createdAt: 1, updatedAt, mode: 'safe', toolset: 'blade' } as const
  opened.store.add({ ...info, archived }, items)
}
const open = () => rows.open('/w', 'main').map(({ conversation }) => conversation)

it('archived and unused conversations leave the others in the list', () => {
  for (let index = 0; index < 30; index += 1) add(`old ${index}`, index, [user, answer])
  for (let index = 30; index < 70; index += 1) add(`archived ${index}`, index, [user, answer], true)
  for (let index = 70; index < 110; index += 1) add(`unused ${index}`, index, [])
  const listed = open()
  expect(listed.filter((id) => id?.startsWith('old'))).toHaveLength(30)
  expect(listed.filter((id) => id?.startsWith('archived'))).toHaveLength(30)
  expect(listed).toHaveLength(60)
})

it('shows how the turn of another process ended, also if it was listed while that ran', () => {
  other = spawn('sleep', ['600'], { stdio: 'ignore' })
  const pid = other.pid ?? 0
  const { store } = opened
  add('c', 1, [user, answer])
  const state = () => rows.open('/w', 'main').map((row) => [row.state, row.place])
  expect(state()).toEqual([['done', 'window']])
  store.setRunner('c', { pid, start: processOf(pid).start, since: Date.now() })
  store.saveItem('c', { ...user, id: 'u2' })
  expect(state()).toEqual([['working', 'elsewhere']])
  store.saveItem('c', { ...answer, id: 'a2', state: 'failed' })
  store.setRunner('c', null)
  expect(state()).toEqual([['failed', 'window']])
})

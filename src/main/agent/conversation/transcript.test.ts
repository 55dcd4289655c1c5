import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ConversationItem } from '../../../shared/agent/conversation.ts'
import type { ConversationStore } from '../../history/conversations.ts'
import { noticeItem } from './items.ts'
import { createStoredTranscript } from './transcript.ts'

/** The items of each write. */
let writes: string[][] = []
let failing = false

const store = {
  items: () => [],
  saveItems(_id: string, items: readonly ConversationItem[]) {
    if (failing) throw new Error('disk full')
    writes.push(items.map(({ id }) => id))
  },
  // Only what a transcript without user messages calls.
} as unknown as ConversationStore

const transcript = () => createStoredTranscript('c', store, vi.fn(), vi.fn())
const item = (id: string) => ({ ...noticeItem('info', id), id })

beforeEach(() => {
  vi.useFakeTimers()
  writes = []
  failing = false
})
afterEach(() => {
  vi.useRealTimers()
})

it('an item that is stored later is written with the next one, in the order of the conversation', () => {
  const { put } = transcript()
  put(item('answer'), 'later')
  put(item('call'), 'later')
  expect(writes).toEqual([])
  put(item('call'))
  expect(writes).toEqual([['answer', 'call']])
})

it('an item that is stored later is written after a moment if no other follows', () => {
  transcript().put(item('answer'), 'later')
  vi.advanceTimersByTime(1000)
  expect(writes).toEqual([['answer']])
})

it('after a failed write, the items that waited are written with the next one', () => {
  const { put } = transcript()
  put(item('answer'), 'later')
  failing = true
  expect(() => put(item('call'))).toThrow('disk full')
  failing = false
  put(item('result'))
  expect(writes).toEqual([['answer', 'result']])
})

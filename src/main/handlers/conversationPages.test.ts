import { describe, expect, it } from 'vitest'
import type { ConversationItem, ConversationSnapshot } from '../../shared/agent/conversation.ts'
import { earlierItems, latestItems } from './conversationPages.ts'

const user = (id: string, more: object = {}): ConversationItem => ({ id, kind: 'user', at: 1, text: id, ...more })
const answer = (id: string): ConversationItem => ({
  id,
  kind: 'assistant',
  at: 1,
  text: id,
  reasoning: '',
  state: 'done',
})

function conversation(items: ConversationItem[]): ConversationSnapshot {
  const info = {
    id: 'c',
    title: '',
    createdAt: 1,
    updatedAt: 1,
    workspace: '/w',
    mode: 'safe',
    toolset: 'blade',
  } as const
  return { info, items, running: false, queue: [] }
}

const shown = ({ items, earlier }: { items: ConversationItem[]; earlier?: number }) => ({
  ids: items.map(({ id }) => id).join(''),
  earlier,
})

describe('the latest items of a conversation', () => {
  const items = [user('a'), answer('b'), user('c'), answer('d')]

  it.each([
    [undefined, 'abcd', undefined],
    [9, 'abcd', undefined],
    [4, 'abcd', undefined],
    [3, 'bcd', 1],
    [2, 'cd', 2],
  ])('are %s items', (count, ids, earlier) => {
    expect(shown(latestItems(conversation(items), count))).toEqual({ ids, earlier })
  })

  it('include the message that began the latest turn, which steering and reminders do not', () => {
    const turn = [
      user('a'),
      user('b'),
      answer('c'),
      user('d', { steered: true }),
      user('e', { nudge: true }),
      answer('f'),
    ]
    expect(shown(latestItems(conversation(turn), 1))).toEqual({ ids: 'bcdef', earlier: 1 })
  })

  it('need no message', () => {
    expect(shown(latestItems(conversation([answer('a'), answer('b')]), 1))).toEqual({ ids: 'b', earlier: 1 })
  })
})

it('returns the items before those that a window has, until there are none', () => {
  const items = [user('a'), answer('b'), user('c'), answer('d')]
  expect(shown(earlierItems(items, 'd', 2))).toEqual({ ids: 'bc', earlier: 1 })
  expect(shown(earlierItems(items, 'b', 2))).toEqual({ ids: 'a', earlier: 0 })
  expect(shown(earlierItems(items, 'a', 2))).toEqual({ ids: '', earlier: 0 })
  expect(shown(earlierItems(items, 'removed', 2))).toEqual({ ids: '', earlier: 0 })
})

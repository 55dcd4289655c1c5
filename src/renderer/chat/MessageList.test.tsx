import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createRef } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ConversationSnapshot, NoticeItem } from '../../shared/agent/conversation.ts'
import { chatEvents, emptyChat, showConversation, useChat } from '../platform/conversation/chatStore.ts'
import { testMain } from '../testing/testMain.ts'
import { MessageList } from './MessageList.tsx'

const notice = (index: number): NoticeItem => ({
  id: `n${index}`,
  kind: 'notice',
  at: index,
  level: 'info',
  text: `Notice ${index}`,
})

function conversation(count: number): ConversationSnapshot {
  return {
    info: { id: 'c1', title: 'Long', createdAt: 1, updatedAt: 1, workspace: '/w', mode: 'safe', toolset: 'blade' },
    items: Array.from({ length: count }, (_, index) => notice(index)),
    running: true,
    queue: [],
  }
}

class Observer {
  observe(): void {}
  disconnect(): void {}
}

/** Actions that wait until the window is idle. */
const idle: (() => void)[] = []

/** Runs them, and those that follow, until none is left. */
function becomeIdle(): void {
  for (const action of idle) act(action)
}

beforeEach(() => {
  vi.stubGlobal('ResizeObserver', Observer)
  vi.stubGlobal('IntersectionObserver', Observer)
  vi.stubGlobal('requestIdleCallback', (action: () => void) => idle.push(action))
  vi.stubGlobal('cancelIdleCallback', (id: number) => idle.splice(id - 1, 1, () => undefined))
  idle.length = 0
  Element.prototype.scrollTo = () => undefined
  useChat.setState(emptyChat, true)
})

afterEach(cleanup)

it('a transcript that grows at its end renders and keeps the latest items only', () => {
  showConversation(conversation(200))
  const { container } = render(<MessageList scroller={createRef()} sentCount={0} />)
  becomeIdle()
  expect(container.querySelectorAll('.chat-item')).toHaveLength(50)
  for (let from = 200; from < 500; from += 20)
    act(() => {
      for (let index = from; index < from + 20; index++)
        chatEvents['conversation.item']({ conversationId: 'c1', item: notice(index), isNew: true })
    })
  expect(container.querySelectorAll('.chat-item').length).toBeLessThanOrEqual(150)
  expect(container.textContent).toContain('Notice 499')
  const { order, items, earlier } = useChat.getState()
  expect(order.length).toBeLessThanOrEqual(350)
  expect(Object.keys(items)).toHaveLength(order.length)
  expect(earlier + order.length).toBe(500)
  expect(container.textContent).toContain('earlier items')
})

it('an opened conversation renders what the user sees first, and the rest of a page when the window is idle', () => {
  const long = (id: string): ConversationSnapshot => {
    const snapshot = conversation(100)
    const items = snapshot.items.map((item) => ({ ...item, id: `${id}${item.id}`, kind: 'user' as const }))
    return {
      ...snapshot,
      info: { ...snapshot.info, id },
      items: items.map((item) => ({ ...item, text: 'word '.repeat(200) })),
    }
  }
  const { container } = render(<MessageList scroller={createRef()} sentCount={0} />)
  const shown = () => container.querySelectorAll('.chat-item').length
  for (const id of ['first', 'second']) {
    act(() => showConversation(long(id)))
    expect(shown()).toBe(4)
    expect(container.querySelector(`[data-item-id="${id}n99"]`)).not.toBeNull()
    becomeIdle()
    expect(shown()).toBe(50)
  }
})

it('shows earlier items, and asks main for those that the window has not loaded', async () => {
  const main = testMain()
  const all = conversation(80)
  main.responses['conversations.earlier'] = () => ({ items: all.items.slice(0, 20), earlier: 0 })
  showConversation({ ...all, items: all.items.slice(20), earlier: 20 })
  const { container } = render(<MessageList scroller={createRef()} sentCount={0} />)
  becomeIdle()
  fireEvent.click(screen.getByRole('button', { name: 'Show 30 of 30 earlier items' }))
  expect(container.querySelectorAll('.chat-item')).toHaveLength(60)
  fireEvent.click(screen.getByRole('button', { name: 'Show 20 of 20 earlier items' }))
  await screen.findByText('Notice 0')
  expect(container.querySelectorAll('.chat-item')).toHaveLength(80)
  expect(screen.queryByRole('button', { name: /earlier/ })).toBeNull()
  expect(main.requests).toContainEqual({
    method: 'conversations.earlier',
    params: { id: 'c1', before: 'n20', count: 50 },
  })
})

it('removes the latest items while the user goes back, and shows them again', async () => {
  const main = testMain()
  const all = conversation(600)
  main.responses['conversations.earlier'] = ({ before, count }) => {
    const end = all.items.findIndex(({ id }) => id === before)
    return { items: all.items.slice(end - count, end), earlier: end - count }
  }
  showConversation(all)
  const { container } = render(<MessageList scroller={createRef()} sentCount={0} />)
  becomeIdle()
  const shown = () => {
    const ids = [...container.querySelectorAll<HTMLElement>('.chat-item')].map((item) => item.dataset['itemId'])
    return `${ids[0]} to ${ids.at(-1)}`
  }
  const press = async (name: RegExp) => act(async () => fireEvent.click(screen.getByRole('button', { name })))
  for (let pages = 0; pages < 8; pages++) await press(/earlier items?$/)
  expect(shown()).toBe('n150 to n449')
  await press(/^Show 50 of 150 later items$/)
  expect(shown()).toBe('n200 to n499')
  await press(/later items$/)
  await press(/later items$/)
  expect(shown()).toBe('n300 to n599')
  expect(screen.queryByRole('button', { name: /later/ })).toBeNull()
})

it('what an empty conversation shows starts at its top, also where it is higher than the window', () => {
  const scrolled = vi.fn()
  Element.prototype.scrollTo = scrolled
  showConversation({ ...conversation(0), running: false })
  render(<MessageList scroller={createRef()} sentCount={0} />)
  expect(scrolled).not.toHaveBeenCalled()
  act(() => chatEvents['conversation.item']({ conversationId: 'c1', item: notice(0), isNew: true }))
  cleanup()
  render(<MessageList scroller={createRef()} sentCount={0} />)
  expect(scrolled).toHaveBeenCalled()
})

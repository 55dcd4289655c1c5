import { beforeEach, describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../shared/tools/approval.ts'
import type { AssistantItem, ConversationItem, ConversationSnapshot } from '../../../shared/agent/conversation.ts'
import { createDeltaBatcher, type Delta } from './deltas.ts'
import {
  addEarlier,
  chatEvents,
  emptyChat,
  keepLatest,
  restoreChat,
  setUndo,
  showConversation,
  useChat,
} from './chatStore.ts'

const answer = (id: string, text = ''): AssistantItem => ({
  id,
  kind: 'assistant',
  at: 1,
  text,
  reasoning: '',
  state: 'streaming',
})

function snapshot(id: string, itemIds: string[]): ConversationSnapshot {
  return {
    info: { id, title: 'Fix the test', createdAt: 1, updatedAt: 1, workspace: '/w', mode: 'safe', toolset: 'blade' },
    items: itemIds.map((itemId) => answer(itemId)),
    running: true,
    queue: [{ id: 'q1', text: 'and then lint' }],
  }
}

function approval(id: string, requestedAt: number): ApprovalRequest {
  return {
    id,
    callId: `call-${id}`,
    tool: 'run_command',
    title: 'Run command',
    risk: 'execute',
    mode: 'safe',
    reason: 'Safe mode asks.',
    destructive: [],
    arguments: {},
    grantable: { exact: true, prefix: true },
    requestedAt,
  }
}

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
const textOf = (id: string) => (useChat.getState().items[id] as AssistantItem).text

beforeEach(() => useChat.setState(emptyChat, true))

describe('restoring', () => {
  it('takes the conversation, the running turn, the queue and the approvals from a snapshot', () => {
    restoreChat({
      conversation: snapshot('c1', ['a', 'b']),
      approvals: [approval('late', 9), approval('early', 2)],
      workspace: null,
    })
    const state = useChat.getState()
    expect(state.order).toEqual(['a', 'b'])
    expect(state.running).toBe(true)
    expect(state.queue).toEqual([{ id: 'q1', text: 'and then lint' }])
    expect(state.approvals.map(({ id }) => id)).toEqual(['early', 'late'])
  })

  it('does not repeat text that the snapshot contains', async () => {
    restoreChat({ conversation: snapshot('c1', ['a']), approvals: [], workspace: null })
    chatEvents['conversation.delta']({ conversationId: 'c1', itemId: 'a', text: 'Hello' })
    const fresh = snapshot('c1', [])
    restoreChat({ conversation: { ...fresh, items: [answer('a', 'Hello')] }, approvals: [], workspace: null })
    await frame()
    expect(textOf('a')).toBe('Hello')
  })

  it('keeps a new conversation in this folder that main does not report yet', () => {
    showConversation(snapshot('tour', ['a']))
    restoreChat({ conversation: null, approvals: [], workspace: { root: '/w', name: 'w' } })
    expect(useChat.getState().info?.id).toBe('tour')
    restoreChat({ conversation: null, approvals: [], workspace: { root: '/other', name: 'other' } })
    expect(useChat.getState().info).toBeNull()
  })

  it('keeps approvals of other conversations when another one is opened', () => {
    restoreChat({ conversation: snapshot('c1', []), approvals: [approval('x', 1)], workspace: null })
    showConversation(snapshot('c2', ['z']))
    expect(useChat.getState().approvals).toHaveLength(1)
    expect(useChat.getState().order).toEqual(['z'])
  })
})

describe('streaming', () => {
  it('appends the text since the last frame and keeps the other item objects', async () => {
    restoreChat({ conversation: snapshot('c1', ['a', 'b']), approvals: [], workspace: null })
    const before = useChat.getState().items.a
    for (const text of ['Hel', 'lo ', 'you'])
      chatEvents['conversation.delta']({ conversationId: 'c1', itemId: 'b', text })
    expect(textOf('b')).toBe('')
    await frame()
    expect(textOf('b')).toBe('Hello you')
    expect(useChat.getState().items.a).toBe(before)
  })

  it('renders many deltas as one change', async () => {
    restoreChat({ conversation: snapshot('c1', ['a']), approvals: [], workspace: null })
    let changes = 0
    const stop = useChat.subscribe(() => {
      changes += 1
    })
    for (let count = 0; count < 500; count += 1)
      chatEvents['conversation.delta']({ conversationId: 'c1', itemId: 'a', text: 'x' })
    await frame()
    stop()
    expect(changes).toBe(1)
    expect(textOf('a')).toHaveLength(500)
  })

  it('ignores other conversations', async () => {
    restoreChat({ conversation: snapshot('c1', ['a']), approvals: [], workspace: null })
    chatEvents['conversation.delta']({ conversationId: 'c2', itemId: 'a', text: 'no' })
    chatEvents['conversation.item']({ conversationId: 'c2', item: answer('n'), isNew: true })
    await frame()
    expect(textOf('a')).toBe('')
    expect(useChat.getState().order).toEqual(['a'])
  })

  it('prefers a newer state of an item over pending text', async () => {
    restoreChat({ conversation: snapshot('c1', ['a']), approvals: [], workspace: null })
    chatEvents['conversation.delta']({ conversationId: 'c1', itemId: 'a', text: 'half' })
    chatEvents['conversation.item']({
      conversationId: 'c1',
      item: { ...answer('a', 'half and whole'), state: 'done' },
      isNew: false,
    })
    await frame()
    expect(textOf('a')).toBe('half and whole')
  })

  it('moves text to the reasoning while the answer goes on', async () => {
    restoreChat({ conversation: snapshot('c1', ['a']), approvals: [], workspace: null })
    chatEvents['conversation.delta']({ conversationId: 'c1', itemId: 'a', text: 'I should look.' })
    await frame()
    chatEvents['conversation.item']({
      conversationId: 'c1',
      item: { ...answer('a', ''), reasoning: 'I should look.' },
      isNew: false,
    })
    chatEvents['conversation.delta']({ conversationId: 'c1', itemId: 'a', text: 'Hello.' })
    await frame()
    expect(useChat.getState().items.a).toMatchObject({ text: 'Hello.', reasoning: 'I should look.' })
  })
})

describe('a conversation of which only the latest items are loaded', () => {
  const open = () => showConversation({ ...snapshot('c1', ['c', 'd']), earlier: 2 })

  it('gets earlier items before the others', () => {
    open()
    addEarlier('c1', 'c', { items: [answer('b')], earlier: 1 })
    addEarlier('c1', 'b', { items: [answer('a')], earlier: 0 })
    expect(useChat.getState()).toMatchObject({ order: ['a', 'b', 'c', 'd'], earlier: 0 })
    expect(useChat.getState().items['a']).toEqual(answer('a'))
  })

  it('ignores items that were requested twice, or for another conversation', () => {
    open()
    addEarlier('c1', 'c', { items: [answer('b')], earlier: 1 })
    addEarlier('c1', 'c', { items: [answer('b')], earlier: 1 })
    addEarlier('c2', 'b', { items: [answer('x')], earlier: 0 })
    expect(useChat.getState()).toMatchObject({ order: ['b', 'c', 'd'], earlier: 1 })
  })

  it('forgets earlier items, but neither the latest ones nor the message that began the turn', () => {
    showConversation(snapshot('c1', ['a', 'b', 'c', 'd']))
    keepLatest(4)
    expect(useChat.getState()).toMatchObject({ order: ['a', 'b', 'c', 'd'], earlier: 0 })
    keepLatest(2)
    expect(useChat.getState()).toMatchObject({ order: ['c', 'd'], earlier: 2 })
    expect(Object.keys(useChat.getState().items)).toEqual(['c', 'd'])
    const message: ConversationItem = { id: 'm', kind: 'user', at: 2, text: 'Go on' }
    showConversation({ ...snapshot('c2', []), items: [answer('a'), message, answer('b'), answer('c')] })
    keepLatest(1)
    expect(useChat.getState()).toMatchObject({ order: ['m', 'b', 'c'], earlier: 1 })
  })

  it('shows a new item even if the clock was set back, but not a change of an earlier item', () => {
    open()
    chatEvents['conversation.item']({ conversationId: 'c1', item: answer('a', 'changed'), isNew: false })
    chatEvents['conversation.item']({ conversationId: 'c1', item: { ...answer('e'), at: -1 }, isNew: true })
    expect(useChat.getState().order).toEqual(['c', 'd', 'e'])
  })
})

describe('items, status and approvals', () => {
  it('removes the items that a retry removes', () => {
    restoreChat({ conversation: snapshot('c1', ['a', 'b', 'c']), approvals: [], workspace: null })
    chatEvents['conversation.truncated']({ conversationId: 'c1', fromItemId: 'b' })
    expect(useChat.getState().order).toEqual(['a'])
    expect(Object.keys(useChat.getState().items)).toEqual(['a'])
  })

  it('shows a note while the turn runs and clears it at the end', () => {
    restoreChat({ conversation: snapshot('c1', []), approvals: [], workspace: null })
    chatEvents['conversation.status']({ conversationId: 'c1', running: true, queue: [], note: 'Loading model…' })
    expect(useChat.getState().note).toBe('Loading model…')
    chatEvents['conversation.status']({ conversationId: 'c1', running: false, queue: [] })
    chatEvents['conversation.turnEnded']({ conversationId: 'c1', outcome: 'cancelled' })
    expect(useChat.getState()).toMatchObject({ note: '', running: false, lastOutcome: 'cancelled' })
  })

  it('keeps a request once until it is resolved', () => {
    chatEvents['approval.requested'](approval('x', 1))
    chatEvents['approval.requested'](approval('x', 1))
    expect(useChat.getState().approvals).toHaveLength(1)
    chatEvents['approval.resolved']({ requestId: 'x' })
    expect(useChat.getState().approvals).toEqual([])
  })

  it('accumulates the progress of a call', () => {
    chatEvents['tool.progress']({ callId: 'c', progress: { kind: 'text', text: 'a' } })
    chatEvents['tool.progress']({ callId: 'c', progress: { kind: 'text', text: 'b' } })
    expect(useChat.getState().progress.c).toEqual({ kind: 'text', text: 'ab' })
  })
})

describe('createDeltaBatcher', () => {
  it('schedules once for many deltas and again after a flush', () => {
    const tasks: (() => void)[] = []
    const seen: Map<string, Delta>[] = []
    const batcher = createDeltaBatcher(
      (deltas) => seen.push(new Map(deltas)),
      (task) => {
        tasks.push(task)
        return () => undefined
      },
    )
    batcher.add('a', 'x', '')
    batcher.add('a', 'y', 'because')
    expect(tasks).toHaveLength(1)
    tasks[0]?.()
    expect(seen).toEqual([new Map([['a', { text: 'xy', reasoning: 'because' }]])])
    batcher.add('a', 'z', '')
    expect(tasks).toHaveLength(2)
  })

  it('applies nothing after it was cleared', () => {
    let applied = 0
    const batcher = createDeltaBatcher(
      () => {
        applied += 1
      },
      () => () => undefined,
    )
    batcher.add('a', 'x', '')
    batcher.clear()
    batcher.flush()
    expect(applied).toBe(0)
  })
})

describe('conversations that are not shown', () => {
  it('leave no state behind', () => {
    for (let number = 0; number < 100; number += 1) {
      showConversation(snapshot(`c${number}`, [`item${number}`]))
      chatEvents['tool.progress']({ callId: `call${number}`, progress: { kind: 'text', text: 'x' } })
      setUndo(`edit${number}`, { kind: 'undone' })
    }
    const { order, items, progress, undo } = useChat.getState()
    expect({ order, items: Object.keys(items), progress: Object.keys(progress), undo: Object.keys(undo) }).toEqual({
      order: ['item99'],
      items: ['item99'],
      progress: ['call99'],
      undo: ['edit99'],
    })
  })

  it('keep the progress of a call until it ends', () => {
    showConversation(snapshot('c1', []))
    const call = {
      id: 'hidden',
      kind: 'tool' as const,
      at: 1,
      assistantId: 'a',
      callId: 'call_1',
      name: 'run_command',
      arguments: '{}',
      state: 'running' as const,
    }
    chatEvents['tool.progress']({ callId: 'hidden', progress: { kind: 'text', text: 'output' } })
    chatEvents['conversation.item']({ conversationId: 'c2', item: call, isNew: true })
    expect(useChat.getState().progress['hidden']).toBeDefined()
    const result = {
      ok: true,
      text: 'done',
      view: { kind: 'text' as const, text: 'done' },
      elapsedMs: 1,
      arguments: {},
      truncated: false,
    }
    chatEvents['conversation.item']({ conversationId: 'c2', item: { ...call, state: 'done', result }, isNew: false })
    expect(useChat.getState().progress).toEqual({})
  })
})

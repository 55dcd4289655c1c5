import { beforeEach, expect, it, vi } from 'vitest'

/** Requests in order, each answered by the test. */
const sent: { name: string; params: unknown; answer: (result: unknown) => void }[] = []
vi.mock(import('../platform/bridge/bridge.ts'), async (original) => ({
  ...(await original()),
  request: ((name: string, params: unknown) => new Promise((answer) => sent.push({ name, params, answer }))) as never,
}))
const { newConversation, send, setMode, startConversation } = await import('./chatActions.ts')
const { useChat } = await import('../platform/conversation/chatStore.ts')
const { useChatView } = await import('./chatViewStore.ts')
const { useNotices } = await import('../platform/notices.ts')
const { attachmentsOf, setAttachments } = await import('./composer/draftAttachments.ts')

const info = (mode: string) => ({ id: 'c', title: '', mode })
const names = () => sent.map(({ name }) => name)

beforeEach(() => {
  sent.length = 0
  useChat.setState({ info: null })
})

it('a mode chosen while a new conversation is created applies to it', async () => {
  const creation = newConversation()
  await vi.waitFor(() => expect(names()).toEqual(['conversations.create']))
  const choice = setMode('plan')
  sent[0]?.answer({ info: info('cautious'), items: [], queue: [], approvals: [], running: false })
  await creation
  await vi.waitFor(() => expect(names()).toEqual(['conversations.create', 'conversations.update']))
  expect(sent[1]?.params).toEqual({ id: 'c', mode: 'plan' })
  sent[1]?.answer(info('plan'))
  await choice
  expect(useChat.getState().info?.mode).toBe('plan')
})

it('a message sent right after a choice of the mode waits until new conversations start with it', async () => {
  const choice = setMode('plan')
  await vi.waitFor(() => expect(names()).toEqual(['settings.set']))
  const sending = send('go')
  await Promise.resolve()
  expect(names()).toEqual(['settings.set'])
  sent[0]?.answer({ mode: 'plan' })
  await choice
  await vi.waitFor(() => expect(names()).toEqual(['settings.set', 'conversations.create']))
  sent[1]?.answer({ info: info('plan'), items: [], queue: [], approvals: [], running: false })
  await vi.waitFor(() => expect(names().at(-1)).toBe('conversations.send'))
  sent[2]?.answer({})
  await sending
  expect(useChatView.getState().drafts['c'] ?? '').toBe('')
})

it('a message with too many elements of a page returns to the draft, and the notice says how many it can have', async () => {
  useChat.setState({ info: info('plan') as never })
  const elements = Array.from({ length: 9 }, (_, id) => ({ id: String(id), label: 'a', text: 'b', note: '' }))
  await send('change these', { elements })
  expect(names()).not.toContain('conversations.send')
  expect(useNotices.getState().notices.at(-1)?.message).toContain('at most 8 elements of a page')
  expect(useChatView.getState().drafts['c']).toBe('change these')
  expect(attachmentsOf('c').elements).toHaveLength(9)
  setAttachments('c', { chosen: [], pasted: [], pictures: [] })
  useChatView.setState({ drafts: {} })
})

it('a new conversation focuses the message field, unless the user has moved the focus meanwhile', async () => {
  const picker = document.body.appendChild(document.createElement('input'))
  const focusRequests = () => useChatView.getState().focusRequests
  const before = focusRequests()
  for (const [moveFocus, expected] of [
    [() => picker.focus(), before],
    [() => undefined, before + 1],
  ] as const) {
    sent.length = 0
    const start = startConversation()
    await vi.waitFor(() => expect(names()).toEqual(['conversations.create']))
    moveFocus()
    sent[0]?.answer({ info: info('safe'), items: [], queue: [], approvals: [], running: false })
    await start
    expect(focusRequests()).toBe(expected)
  }
  picker.remove()
})

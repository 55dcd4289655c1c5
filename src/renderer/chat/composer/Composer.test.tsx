import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ConversationSnapshot } from '../../../shared/agent/conversation.ts'
import { newConversation } from '../chatActions.ts'
import { showConversation, useChat } from '../../platform/conversation/chatStore.ts'
import type { McpServerStatus } from '../../../shared/tools/mcp.ts'
import { useMcp } from '../../platform/mcpStore.ts'
import { useLayout } from '../../platform/layout/layoutStore.ts'
import { connectedServer } from '../../testing/connectedServer.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { useChatView } from '../chatViewStore.ts'
import { Composer } from './Composer.tsx'
import { setServerPrompt, useDraftAttachments } from './draftAttachments.ts'
import { recallMessage } from '../../platform/conversation/messageRecall.ts'

function conversation(id: string, running: boolean): ConversationSnapshot {
  return {
    info: { id, title: 'T', createdAt: 1, updatedAt: 1, workspace: '/w', mode: 'safe', toolset: 'blade' },
    items: [
      { id: 'u1', kind: 'user', at: 1, text: 'first' },
      { id: 'u2', kind: 'user', at: 2, text: 'second' },
    ],
    running,
    queue: running ? [{ id: 'q1', text: 'later' }] : [],
  }
}

const serverWithPrompt: McpServerStatus = {
  ...connectedServer,
  prompts: [{ command: 'docs__review', name: 'review', description: '', arguments: [] }],
}

let main: TestMain
beforeEach(() => {
  main = testMain()
  useChatView.setState({ drafts: {} })
})
afterEach(cleanup)

const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })
const sent = () => main.requests.filter(({ method }) => method === 'conversations.send').map(({ params }) => params)

function show(running = false) {
  showConversation(conversation('c1', running))
  render(<Composer onSent={() => undefined} />)
}

describe('the composer', () => {
  it('shows the toolset of the conversation and why it was suggested', () => {
    const shown = conversation('c1', false)
    showConversation({
      ...shown,
      info: { ...shown.info, toolset: 'rusty', model: { endpointId: 'e', model: 'gpt-oss:20b' } },
    })
    render(<Composer onSent={() => undefined} />)
    expect(screen.getByRole('button', { name: 'Toolset: Rusty' }).title).toContain('suggested for gpt-oss')
  })

  it('prepares the checkpoint when the user begins to write, unless nothing may change', () => {
    const prepared = () => main.requests.filter(({ method }) => method === 'conversations.prepareCheckpoint').length
    const shown = conversation('c1', false)
    showConversation({ ...shown, info: { ...shown.info, mode: 'plan' } })
    render(<Composer onSent={() => undefined} />)
    fireEvent.change(field(), { target: { value: 'p' } })
    expect(prepared()).toBe(0)
    fireEvent.change(field(), { target: { value: '' } })
    act(() => showConversation(shown))
    fireEvent.change(field(), { target: { value: 'f' } })
    fireEvent.change(field(), { target: { value: 'fi' } })
    expect(prepared()).toBe(1)
  })

  it('sends comments on changes with the message, and removes one before that', async () => {
    main.responses['review.comment'] = () => ({ queued: false })
    useLayout.setState({
      review: {
        expanded: false,
        comments: [
          { id: 1, path: 'src/a.ts', line: 3, text: 'Rename it.' },
          { id: 2, path: 'b.ts', line: 1, text: 'Why?' },
        ],
      },
    })
    show()
    fireEvent.click(screen.getByRole('button', { name: 'Remove the comment on b.ts:1' }))
    fireEvent.change(field(), { target: { value: 'Please fix' } })
    fireEvent.keyDown(field(), { key: 'Enter' })
    await waitFor(() => expect(screen.queryByRole('list', { name: 'Comments for the agent' })).toBeNull())
    expect(main.requests.find(({ method }) => method === 'review.comment')?.params).toEqual({
      conversation: 'c1',
      comments: [{ path: 'src/a.ts', line: 3, text: 'Rename it.' }],
      text: 'Please fix',
    })
    expect(sent()).toEqual([])
  })

  it('sends with Enter and clears the text', async () => {
    show()
    fireEvent.change(field(), { target: { value: 'do it' } })
    fireEvent.keyDown(field(), { key: 'Enter' })
    await waitFor(() => expect(sent()).toEqual([{ id: 'c1', text: 'do it' }]))
    expect(field().value).toBe('')
  })

  it('steers a running turn with Ctrl+Enter, and sends at once if no turn runs', async () => {
    show(true)
    fireEvent.change(field(), { target: { value: 'not that file' } })
    fireEvent.keyDown(field(), { key: 'Enter', ctrlKey: true })
    await waitFor(() => expect(sent()).toEqual([{ id: 'c1', text: 'not that file', steer: true }]))
    cleanup()
    show()
    fireEvent.change(field(), { target: { value: 'go' } })
    fireEvent.keyDown(field(), { key: 'Enter', ctrlKey: true })
    await waitFor(() => expect(sent().at(-1)).toEqual({ id: 'c1', text: 'go' }))
  })

  it('stops a running turn and sends at once with Ctrl+Shift+Enter', async () => {
    show(true)
    fireEvent.change(field(), { target: { value: 'something else' } })
    fireEvent.keyDown(field(), { key: 'Enter', ctrlKey: true, shiftKey: true })
    await waitFor(() => expect(sent()).toEqual([{ id: 'c1', text: 'something else', interrupt: true }]))
  })

  it('sends comments at once with the message that stops the turn', async () => {
    main.responses['review.comment'] = () => ({ queued: false })
    const comments = [{ id: 1, path: 'src/a.ts', line: 3, text: 'Rename it.' }]
    useLayout.setState({ review: { expanded: false, comments } })
    show(true)
    fireEvent.keyDown(field(), { key: 'Enter', ctrlKey: true, shiftKey: true })
    const request = () => main.requests.find(({ method }) => method === 'review.comment')?.params
    await waitFor(() => expect(request()).toMatchObject({ conversation: 'c1', interrupt: true }))
  })

  it('does not offer to stop the turn of another process to send a message', async () => {
    showConversation({ ...conversation('c1', true), elsewhere: true })
    render(<Composer onSent={() => undefined} />)
    fireEvent.change(field(), { target: { value: 'something else' } })
    expect(screen.queryAllByRole('button', { name: 'Stop and send now' })).toEqual([])
    fireEvent.keyDown(field(), { key: 'Enter', ctrlKey: true, shiftKey: true })
    await waitFor(() => expect(sent()).toEqual([{ id: 'c1', text: 'something else' }]))
    act(() => showConversation(conversation('c1', true)))
    expect(screen.getAllByRole('button', { name: 'Stop and send now' })).toHaveLength(1)
  })

  it('lets the user edit a queued message and use it to steer the turn', async () => {
    show(true)
    const changed = () =>
      main.requests.filter(({ method }) => method === 'conversations.changeQueued').map(({ params }) => params)
    fireEvent.click(screen.getByRole('button', { name: 'Steer' }))
    await waitFor(() => expect(changed()).toEqual([{ id: 'c1', messageId: 'q1', steer: true }]))
    fireEvent.click(screen.getByRole('button', { name: 'Edit queued message' }))
    const edited = screen.getByRole('textbox', { name: 'Edited message' })
    fireEvent.change(edited, { target: { value: 'sooner' } })
    fireEvent.keyDown(edited, { key: 'Enter' })
    await waitFor(() => expect(changed().at(-1)).toEqual({ id: 'c1', messageId: 'q1', text: 'sooner' }))
  })

  it('does not send on Shift+Enter or an empty message', () => {
    show()
    fireEvent.keyDown(field(), { key: 'Enter' })
    fireEvent.change(field(), { target: { value: 'one' } })
    fireEvent.keyDown(field(), { key: 'Enter', shiftKey: true })
    expect(sent()).toEqual([])
  })

  it('offers to send queued messages only while no turn runs, and keeps the text if main refuses it', async () => {
    show(true)
    expect(screen.queryByRole('button', { name: 'Send now' })).toBeNull()
    cleanup()
    showConversation({ ...conversation('c1', true), running: false })
    render(<Composer onSent={() => undefined} />)
    fireEvent.click(screen.getByRole('button', { name: 'Send now' }))
    await waitFor(() => expect(sent()).toEqual([{ id: 'c1', text: 'later' }]))
    expect(main.requests[0]).toEqual({ method: 'conversations.unqueue', params: { id: 'c1', messageId: 'q1' } })
    main.responses['conversations.send'] = () => {
      throw new Error('busy')
    }
    fireEvent.click(screen.getByRole('button', { name: 'Send now' }))
    await waitFor(() => expect(field().value).toBe('later'))
  })

  it('keeps text that is typed while the conversation is being created', async () => {
    showConversation(null)
    render(<Composer onSent={() => undefined} />)
    main.responses['conversations.create'] = () => ({ ...conversation('c9', false), items: [] })
    const made = newConversation()
    fireEvent.change(field(), { target: { value: 'r' } })
    await act(() => made)
    expect(useChat.getState().info?.id).toBe('c9')
    expect(field().value).toBe('r')
  })

  it('sends a message typed during creation to the new conversation and creates only one', async () => {
    show()
    main.responses['conversations.create'] = () => ({ ...conversation('c9', false), items: [] })
    let made = Promise.resolve()
    act(() => {
      made = newConversation()
    })
    fireEvent.change(field(), { target: { value: 'for the new one' } })
    fireEvent.keyDown(field(), { key: 'Enter' })
    await act(() => made)
    await waitFor(() => expect(sent()).toEqual([{ id: 'c9', text: 'for the new one' }]))
    expect(main.requests.filter(({ method }) => method === 'conversations.create')).toHaveLength(1)
  })

  it('an edit of a queued message that was delivered meanwhile goes to the draft', async () => {
    main.responses['conversations.changeQueued'] = () => {
      throw new Error('This message is no longer queued.')
    }
    show(true)
    fireEvent.click(screen.getByRole('button', { name: 'Edit queued message' }))
    fireEvent.change(screen.getByRole('textbox', { name: 'Edited message' }), { target: { value: 'later, please' } })
    act(() => useChat.setState({ queue: [] }))
    await waitFor(() => expect(field().value).toBe('later, please'))
  })

  it('a message that main refuses returns before what was typed meanwhile, to its own conversation', async () => {
    const refused = Promise.withResolvers<void>()
    main.responses['conversations.send'] = () => refused.promise
    show()
    fireEvent.change(field(), { target: { value: 'first' } })
    fireEvent.keyDown(field(), { key: 'Enter' })
    fireEvent.change(field(), { target: { value: 'second' } })
    act(() => showConversation(conversation('c2', false)))
    fireEvent.change(field(), { target: { value: 'elsewhere' } })
    refused.reject(new Error('busy'))
    await waitFor(() => expect(useChatView.getState().drafts).toEqual({ c1: 'first\nsecond', c2: 'elsewhere' }))
  })

  it('restores the text if main refuses the message', async () => {
    main.responses['conversations.send'] = () => {
      throw new Error('busy')
    }
    show()
    fireEvent.change(field(), { target: { value: 'precious' } })
    fireEvent.keyDown(field(), { key: 'Enter' })
    await waitFor(() => expect(field().value).toBe('precious'))
  })

  it('creates a conversation if none is open', async () => {
    main.responses['conversations.create'] = () => ({ ...conversation('new', false), items: [] })
    showConversation(null)
    render(<Composer onSent={() => undefined} />)
    fireEvent.change(field(), { target: { value: 'hello' } })
    fireEvent.click(screen.getByRole('button', { name: 'Send' }))
    await waitFor(() => expect(sent()).toEqual([{ id: 'new', text: 'hello' }]))
  })

  describe("with the text of a server's prompt", () => {
    beforeEach(() => {
      useDraftAttachments.setState({ byConversation: {} })
      useMcp.setState({ state: { servers: [serverWithPrompt], problems: [] } })
      main.responses['prompts.list'] = () => []
      main.responses['mcp.prompt'] = () => 'Review all.'
    })
    afterEach(() => useMcp.setState({ state: null }))

    async function expandPrompt(): Promise<void> {
      fireEvent.change(field(), { target: { value: '/docs__review ' } })
      fireEvent.keyDown(field(), { key: 'Enter' })
      await waitFor(() => expect(field().value).toBe('Review all.'))
    }
    async function sendText(text: string): Promise<void> {
      fireEvent.change(field(), { target: { value: text } })
      fireEvent.keyDown(field(), { key: 'Enter' })
      await waitFor(() => expect(field().value).toBe(''))
    }

    it('marks the message as outside content whatever the user changes, and only this message', async () => {
      show()
      await expandPrompt()
      await sendText('Look at all of it.')
      await sendText('Thanks.')
      expect(sent()).toEqual([
        { id: 'c1', text: 'Look at all of it.', serverPrompt: 'docs__review' },
        { id: 'c1', text: 'Thanks.' },
      ])
    })

    it('keeps the mark if main refuses the message, and when the message is recalled', async () => {
      main.responses['conversations.send'] = () => {
        throw new Error('busy')
      }
      const snapshot = conversation('c1', false)
      showConversation({
        ...snapshot,
        items: [...snapshot.items, { id: 'u3', kind: 'user', at: 3, text: 'third', serverPrompt: 'docs__plan' }],
      })
      render(<Composer onSent={() => undefined} />)
      await expandPrompt()
      fireEvent.keyDown(field(), { key: 'Enter' })
      await waitFor(() => expect(field().value).toBe('Review all.'))
      main.responses['conversations.send'] = () => ({ queued: false })
      await sendText('Review it all.')
      fireEvent.keyDown(field(), { key: 'ArrowUp' })
      fireEvent.keyDown(field(), { key: 'Enter' })
      await waitFor(() => expect(field().value).toBe(''))
      expect(sent().slice(1)).toEqual([
        { id: 'c1', text: 'Review it all.', serverPrompt: 'docs__review' },
        { id: 'c1', text: 'third', serverPrompt: 'docs__plan' },
      ])
    })

    it('marks a message with comments on changes, and a queued one that is sent later', async () => {
      main.responses['review.comment'] = () => ({ queued: false })
      useLayout.setState({
        review: { expanded: false, comments: [{ id: 1, path: 'a.ts', line: 3, text: 'Rename it.' }] },
      })
      showConversation({
        ...conversation('c1', false),
        queue: [{ id: 'q', text: 'later', serverPrompt: 'docs__plan' }],
      })
      render(<Composer onSent={() => undefined} />)
      setServerPrompt('c1', 'docs__review')
      await sendText('Please fix')
      const comment = main.requests.find(({ method }) => method === 'review.comment')
      expect(comment?.params).toMatchObject({ text: 'Please fix', serverPrompt: 'docs__review' })
      fireEvent.click(screen.getByRole('button', { name: 'Send now' }))
      await waitFor(() => expect(sent()).toEqual([{ id: 'c1', text: 'later', serverPrompt: 'docs__plan' }]))
    })

    it('keeps the mark while the conversation is being created', async () => {
      showConversation(null)
      render(<Composer onSent={() => undefined} />)
      main.responses['conversations.create'] = () => ({ ...conversation('c9', false), items: [] })
      const created = newConversation()
      setServerPrompt('', 'docs__review')
      await act(() => created)
      await sendText('Review all.')
      expect(sent()).toEqual([{ id: 'c9', text: 'Review all.', serverPrompt: 'docs__review' }])
    })
  })

  it('stops the turn, queues a message and removes it from the queue', () => {
    show(true)
    fireEvent.click(screen.getByRole('button', { name: 'Stop' }))
    fireEvent.click(screen.getByRole('button', { name: 'Remove from the queue' }))
    expect(main.requests.map(({ method, params }) => [method, params])).toEqual([
      ['conversations.stop', { id: 'c1' }],
      ['conversations.unqueue', { id: 'c1', messageId: 'q1' }],
    ])
    expect(screen.queryByRole('button', { name: 'Queue' })).toBeNull()
    fireEvent.change(field(), { target: { value: 'next' } })
    expect(screen.getByRole('button', { name: 'Queue' })).toBeTruthy()
  })

  it('recalls earlier messages with Up and clears the field with Down', () => {
    show()
    fireEvent.keyDown(field(), { key: 'ArrowUp' })
    expect(field().value).toBe('second')
    fireEvent.keyDown(field(), { key: 'ArrowUp' })
    fireEvent.keyDown(field(), { key: 'ArrowUp' })
    expect(field().value).toBe('first')
    fireEvent.keyDown(field(), { key: 'ArrowDown' })
    fireEvent.keyDown(field(), { key: 'ArrowDown' })
    expect(field().value).toBe('')
  })

  it('keeps the draft when another conversation is opened', () => {
    show()
    fireEvent.change(field(), { target: { value: 'half a thought' } })
    act(() => showConversation(conversation('c2', false)))
    expect(field().value).toBe('')
    act(() => showConversation(conversation('c1', false)))
    expect(field().value).toBe('half a thought')
  })
})

describe('recall', () => {
  it('stops at both ends', () => {
    expect(recallMessage(['a'], 1, 1)).toBeUndefined()
    expect(recallMessage(['a'], 0, -1)).toBeUndefined()
    expect(recallMessage([], 0, 1)).toBeUndefined()
  })
})

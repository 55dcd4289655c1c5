import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AssistantItem, NoticeItem } from '../../../shared/agent/conversation.ts'
import { useEndpoints } from '../../platform/models/endpointsStore.ts'
import { emptyChat, useChat } from '../../platform/conversation/chatStore.ts'
import { testMain } from '../../testing/testMain.ts'
import { AssistantMessage } from './AssistantMessage.tsx'
import { Notice } from './Notice.tsx'

beforeEach(() => {
  testMain()
  useChat.setState(emptyChat, true)
})
afterEach(cleanup)

const answer = (text: string): AssistantItem => ({
  id: 'a',
  kind: 'assistant',
  at: 1,
  text,
  reasoning: '',
  state: 'failed',
})

describe('a failed endpoint', () => {
  it('marks an answer as interrupted only if it had started', async () => {
    const { container } = render(<AssistantMessage item={answer('')} nextId={undefined} />)
    expect(container.textContent).toBe('')
    cleanup()
    render(<AssistantMessage item={answer('Half a sen')} nextId={undefined} />)
    expect(screen.getByText('The answer was interrupted')).toBeTruthy()
    await waitFor(() => expect(screen.getByText('Half a sen')).toBeTruthy())
  })

  it('offers to retry or to open the settings', () => {
    const notice: NoticeItem = {
      id: 'n',
      kind: 'notice',
      at: 1,
      level: 'error',
      text: 'It refused the connection.',
      action: 'retry',
    }
    useChat.setState({ order: ['n'], items: { n: notice } })
    render(<Notice item={notice} />)
    expect(screen.getByRole('button', { name: 'Retry' })).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Open settings' })).toBeTruthy()
  })

  it('that ran out of context offers to set the context size and to retry', () => {
    const notice: NoticeItem = {
      id: 'n',
      kind: 'notice',
      at: 1,
      level: 'error',
      text: 'The context holds 512 tokens.',
      action: 'contextSize',
    }
    const info = {
      id: 'c',
      title: 't',
      createdAt: 1,
      updatedAt: 1,
      workspace: '/w',
      mode: 'safe' as const,
      toolset: 'blade' as const,
      pinned: false,
      model: { endpointId: 'e', model: 'qwen' },
    }
    useChat.setState({ order: ['n'], items: { n: notice }, info })
    render(<Notice item={notice} />)
    expect(screen.getByRole('button', { name: 'Retry' })).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Set context size' }))
    expect(useEndpoints.getState().formToOpen).toEqual(info.model)
  })
})

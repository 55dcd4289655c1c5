import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { showConversation } from '../../platform/conversation/chatStore.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { UserMessage } from './UserMessage.tsx'

let main: TestMain
beforeEach(() => {
  main = testMain()
})
afterEach(cleanup)

it('an edited message that main refuses stays open, and closes when it is accepted', async () => {
  const item = { id: 'u1', kind: 'user' as const, at: 1, text: 'first' }
  showConversation({
    info: { id: 'c1', title: 'T', createdAt: 1, updatedAt: 1, workspace: '/w', mode: 'safe', toolset: 'blade' },
    items: [item],
    running: false,
    queue: [],
  })
  main.responses['conversations.resend'] = () => {
    throw new Error('A turn is running.')
  }
  render(<UserMessage item={item} />)
  fireEvent.click(screen.getByRole('button', { name: 'Edit and send again' }))
  const editor = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Edited message' })
  fireEvent.change(editor, { target: { value: 'second' } })
  fireEvent.keyDown(editor, { key: 'Enter' })
  const sends = () => main.requests.filter(({ method }) => method === 'conversations.resend').length
  const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Send' })
  await waitFor(() => expect([sends(), button().disabled]).toEqual([1, false]))
  expect(editor.value).toBe('second')
  main.responses['conversations.resend'] = () => undefined
  fireEvent.click(button())
  await waitFor(() => expect(screen.queryByRole('textbox', { name: 'Edited message' })).toBeNull())
})

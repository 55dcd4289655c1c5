import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { UserItem } from '../../../shared/agent/conversation.ts'
import type { RestorePreview } from '../../../shared/review/restore.ts'
import { showConversation, useChat } from '../../platform/conversation/chatStore.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { useChatView } from '../chatViewStore.ts'
import { RestoreDialog } from './RestoreDialog.tsx'
import { openRestoreDialog, closeRestoreDialog } from './restoreStore.ts'

const message: UserItem = { id: 'u1', kind: 'user', at: 1, text: 'Break it' }
const preview: RestorePreview = {
  checkpoint: { id: 7, at: 1 },
  changes: [{ path: 'a.ts', change: 'changed' }],
  unsaved: [],
  jobs: [],
  items: 3,
}
let main: TestMain

beforeEach(() => {
  main = testMain()
  useChatView.setState({ drafts: {} })
  // The test DOM has no modal dialogs.
  HTMLDialogElement.prototype.showModal ??= function show(this: HTMLDialogElement) {
    this.open = true
  }
})
afterEach(() => {
  closeRestoreDialog()
  cleanup()
})

function ask(given: Partial<RestorePreview>, running = false): void {
  main.responses['conversations.restorePreview'] = () => ({ ...preview, ...given })
  main.responses['conversations.restore'] = () => ({ text: 'Break it', changed: 1, skipped: [] })
  showConversation({
    info: { id: 'c1', title: 'T', createdAt: 1, updatedAt: 1, workspace: '/w', mode: 'safe', toolset: 'blade' },
    items: [message],
    running,
    queue: [],
  })
  render(<RestoreDialog />)
  act(() => openRestoreDialog(message))
}
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name, hidden: true })
const restores = () =>
  main.requests.filter(({ method }) => method === 'conversations.restore').map(({ params }) => params)

describe('the restore dialog', () => {
  it('previews the changes, restores what is chosen and puts the message into the composer', async () => {
    ask({})
    await screen.findByText('a.ts')
    fireEvent.click(button('Files and conversation'))
    await waitFor(() => expect(restores()).toEqual([{ id: 'c1', itemId: 'u1', files: true, conversation: true }]))
    await waitFor(() => expect(useChatView.getState().drafts.c1).toBe('Break it'))
  })

  it('offers only the conversation if no file has changed', async () => {
    ask({ checkpoint: null, missing: 'unchanged', changes: [] })
    await screen.findByText('No file has changed since this message.')
    expect(button('Files only').disabled).toBe(true)
    fireEvent.click(button('Conversation only'))
    await waitFor(() => expect(restores()).toEqual([{ id: 'c1', itemId: 'u1', files: false, conversation: true }]))
  })

  it('lists files with unsaved changes and running commands', async () => {
    ask({
      unsaved: ['a.ts'],
      jobs: [{ id: 'j', kind: 'command', command: 'npm start', cwd: '.', state: 'running', startedAt: 1 }],
    })
    await screen.findByText(/a\.ts has unsaved changes and would be skipped/)
    expect(screen.getByText('npm start')).toBeTruthy()
  })

  it('requires a running turn to be stopped, and compares the files after it has ended', async () => {
    ask({}, true)
    expect(button('Files and conversation').disabled).toBe(true)
    expect(main.requests.some(({ method }) => method === 'conversations.restorePreview')).toBe(false)
    fireEvent.click(button('Stop the turn'))
    await waitFor(() => expect(main.requests.some(({ method }) => method === 'conversations.stop')).toBe(true))
    act(() => useChat.setState({ running: false }))
    await screen.findByText('a.ts')
    expect(button('Files and conversation').disabled).toBe(false)
  })
})

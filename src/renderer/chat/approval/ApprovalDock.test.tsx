import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ApprovalRequest } from '../../../shared/tools/approval.ts'
import { useConsoleCallIds } from '../../platform/conversation/consoleCalls.ts'
import { emptyChat, restoreChat, useChat } from '../../platform/conversation/chatStore.ts'
import { testMain } from '../../testing/testMain.ts'
import { ApprovalDock } from './ApprovalDock.tsx'

/** The approval request of a call from the tool console, which does not belong to a conversation. */
const request: ApprovalRequest = {
  id: 'r1',
  callId: 'console-1',
  tool: 'write_file',
  title: 'Write file',
  risk: 'write',
  mode: 'safe',
  reason: 'Safe mode asks.',
  arguments: { path: 'a.txt' },
  destructive: [],
  grantable: { exact: true, prefix: true },
  requestedAt: 1,
}

beforeEach(() => {
  testMain()
  useChat.setState(emptyChat, true)
  useConsoleCallIds.setState({ ids: new Set() })
})
afterEach(cleanup)

it('shows the request of a console call that this window did not start, for example before a reload', async () => {
  restoreChat({ conversation: null, approvals: [request], workspace: null })
  render(<ApprovalDock onFocusLost={() => {}} />)
  expect((await screen.findByTestId('approval-card')).textContent).toContain('Write file')
})

it('does not show the request of a call that the console shows', () => {
  useConsoleCallIds.setState({ ids: new Set(['console-1']) })
  restoreChat({ conversation: null, approvals: [request], workspace: null })
  render(<ApprovalDock onFocusLost={() => {}} />)
  expect(screen.queryByTestId('approval-card')).toBeNull()
})

it('says that a call waits and how to go on if its request cannot be shown', async () => {
  // React and the boundary log the error.
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  // Not as the card expects it.
  const broken = { ...request, destructive: null } as unknown as ApprovalRequest
  restoreChat({ conversation: null, approvals: [broken], workspace: null })
  render(
    <>
      <p>The messages</p>
      <ApprovalDock onFocusLost={() => {}} />
    </>,
  )
  expect(await screen.findByText(/its request cannot be shown. The call waits/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy()
  expect(screen.getByText('The messages')).toBeTruthy()
  log.mockRestore()
})

it('the focus goes on to the next request, and one that cannot be shown does not hide it', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const next = { ...request, id: 'r2', callId: 'console-2', title: 'Write the next file' }
  const broken = { ...request, destructive: null } as unknown as ApprovalRequest
  const onFocusLost = vi.fn()
  const show = (...approvals: ApprovalRequest[]) =>
    act(() => restoreChat({ conversation: null, approvals, workspace: null }))
  show(request, next)
  render(<ApprovalDock onFocusLost={onFocusLost} />)
  const card = await screen.findByTestId('approval-card')
  card.focus()
  show(next)
  expect(screen.getByTestId('approval-card').textContent).toContain('Write the next file')
  expect(onFocusLost).not.toHaveBeenCalled()
  show(broken, next)
  expect(await screen.findByText(/its request cannot be shown/)).toBeTruthy()
  show(next)
  expect((await screen.findByTestId('approval-card')).textContent).toContain('Write the next file')
  log.mockRestore()
})
